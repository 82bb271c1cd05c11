import { advanceRole, newRole, startRole, tutorialAssistant } from '@callspec/metagpt'
import type { MetagptProfile, RoleFinish, RoleNote, RoleState } from '@callspec/metagpt'

/** What a tutorial run is made of. */
export interface TutorialSettings {
  readonly version: MetagptProfile
  readonly topic: string
  readonly language: string | null
  readonly folder: string
}

/** One call of the model: what it is shown, and what it answers. */
export interface TutorialCall {
  /** Which call it is, from 1. */
  readonly number: number
  readonly system: string
  readonly prompt: string
}

/** How a tutorial run ended: by itself, or because there was no answer to a call. */
export interface TutorialEnd {
  readonly state: RoleState
  readonly finish: RoleFinish | null
  readonly calls: number
}

/**
 * Runs MetaGPT's tutorial assistant once. `answer` gives the text of the model, or null to stop there; `note` is told what
 * the assistant does, with its state at that moment.
 */
export function runTutorial(
  settings: TutorialSettings,
  answer: (call: TutorialCall) => string | null,
  note: (note: RoleNote, state: RoleState) => void,
): TutorialEnd {
  const { version, topic, language, folder } = settings
  const role = tutorialAssistant({ version, folder, ...(language === null ? {} : { language }) })
  let step = startRole(role, newRole(role), topic)
  for (let calls = 1; ; calls += 1) {
    for (const each of step.notes) note(each, step.state)
    const { action, state } = step
    if (action.type === 'finish') return { state, finish: action, calls: calls - 1 }
    // A tutorial assistant asks for nothing but its model.
    const text =
      action.type === 'ask-model' ? answer({ number: calls, system: action.system, prompt: action.prompt }) : null
    if (text === null) return { state, finish: null, calls: calls - 1 }
    step = advanceRole(role, state, { type: 'completion', text })
  }
}
