/** Class paths of MetaGPT that appear as data in messages and prompts. */
export const USER_REQUIREMENT = 'metagpt.actions.add_requirement.UserRequirement'
export const PLAIN_ACTION = 'metagpt.actions.action.Action'
export const WRITE_PLAN = 'metagpt.actions.di.write_plan.WritePlan'
export const ASK_REVIEW = 'metagpt.actions.di.ask_review.AskReview'
export const TUTORIAL_ASSISTANT = 'metagpt.roles.tutorial_assistant.TutorialAssistant'
export const WRITE_DIRECTORY = 'metagpt.actions.write_tutorial.WriteDirectory'
export const WRITE_CONTENT = 'metagpt.actions.write_tutorial.WriteContent'

/** The address of everybody, and the one that a role uses for itself. */
export const TO_ALL = '<all>'
export const TO_SELF = '<self>'
