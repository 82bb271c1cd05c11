import { unreachable } from '@callspec/python'
import { promptAnswer } from './prompt-answer.ts'
import type { PromptAnswer, PromptQuestion } from './prompt-answer.ts'
import { cutAnswer } from './reading/cut-answer.ts'
import type { CutAnswer, CutQuestion } from './reading/cut-answer.ts'
import { replyAnswer } from './reading/reply-answer.ts'
import type { ReplyAnswer, ReplyQuestion } from './reading/reply-answer.ts'
import { lintAnswer, renderAnswer } from './template-answer.ts'
import type { LintAnswer, LintQuestion, RenderAnswer, RenderQuestion } from './template-answer.ts'

/** Questions and answers, as plain data that a worker can receive. */
export interface Answers {
  readonly reply: { readonly question: ReplyQuestion; readonly answer: ReplyAnswer }
  readonly cut: { readonly question: CutQuestion; readonly answer: CutAnswer }
  readonly prompt: { readonly question: PromptQuestion; readonly answer: PromptAnswer }
  readonly render: { readonly question: RenderQuestion; readonly answer: RenderAnswer }
  readonly lint: { readonly question: LintQuestion; readonly answer: LintAnswer }
}

/** The subjects of questions. */
export type Subject = keyof Answers

/** A question of any kind. */
export type Question = { readonly [About in Subject]: { readonly about: About } & Answers[About]['question'] }[Subject]

/** Answers a question. Pure; no content of a question makes it throw. */
export function answerTo(question: Question): Answers[Subject]['answer'] {
  switch (question.about) {
    case 'reply':
      return replyAnswer(question)
    case 'cut':
      return cutAnswer(question)
    case 'prompt':
      return promptAnswer(question)
    case 'render':
      return renderAnswer(question)
    case 'lint':
      return lintAnswer(question)
    default:
      return unreachable(question)
  }
}
