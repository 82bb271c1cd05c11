import type { PyValue } from '@callspec/python'
import { unreachable } from '@callspec/python'
import type { CutAnswer, CutQuestion, ReplyAnswer, ReplyQuestion } from './reading/reply-answer.ts'
import { cutAnswer, replyAnswer } from './reading/reply-answer.ts'
import type { Conversation, Format, PromptOutcome, PromptPart, TokenInText } from '@callspec/core'
import { formatNamed, InputError, tokensInText } from '@callspec/core'
import type { RequestTexts } from './read-request.ts'
import { readRequest } from './read-request.ts'
import type { PromptChoice } from './state.ts'
import type { Limits, TemplateError } from '@callspec/template'
import { compileTemplate } from '@callspec/template'
import type { SpecialTokens } from '@callspec/template/source'
import { USUAL_TOKENS } from '@callspec/template/lint'
import type { LintAnswer, LintQuestion } from './lint-answer.ts'
import { lintAnswer } from './lint-answer.ts'
import type { DifferenceAnswer, DifferenceQuestion, ModelAnswer, ModelQuestion } from './model-answer.ts'
import { differenceAnswer, modelAnswer } from './model-answer.ts'

/** Questions and answers, as plain data that a worker can receive. */
export interface Answers {
  readonly reply: { readonly question: ReplyQuestion; readonly answer: ReplyAnswer }
  readonly cut: { readonly question: CutQuestion; readonly answer: CutAnswer }
  readonly prompt: { readonly question: PromptQuestion; readonly answer: PromptAnswer }
  readonly render: { readonly question: RenderQuestion; readonly answer: RenderAnswer }
  readonly lint: { readonly question: LintQuestion; readonly answer: LintAnswer }
  readonly model: { readonly question: ModelQuestion; readonly answer: ModelAnswer }
  readonly difference: { readonly question: DifferenceQuestion; readonly answer: DifferenceAnswer }
}

export type Subject = keyof Answers

export type Question = { readonly [About in Subject]: { readonly about: About } & Answers[About]['question'] }[Subject]

/** Answers a question. Pure; no content of a question makes it throw. */
export function answerTo(question: Question): Answers[Subject]['answer'] | Promise<Answers[Subject]['answer']> {
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
    case 'model':
      return modelAnswer(question)
    case 'difference':
      return differenceAnswer(question)
    default:
      return unreachable(question)
  }
}

export interface PromptQuestion extends PromptChoice, RequestTexts {}

/** The prompt of a conversation, or the reason for its absence. */
export type PromptAnswer =
  | {
      readonly kind: 'prompted'
      readonly version: string
      readonly parts: readonly PromptPart[]
      readonly spelled: readonly TokenInText[]
      /** Every version, grouped by the prompt that it writes. */
      readonly alike: readonly (readonly string[])[]
    }
  | { readonly kind: 'refused'; readonly version: string; readonly reason: string }
  | { readonly kind: 'wrong'; readonly where: 'tools' | 'conversation'; readonly message: string }
  /** The format can only read. */
  | { readonly kind: 'no-prompt' }

export function promptAnswer({ format: id, version, ...texts }: PromptQuestion): PromptAnswer {
  const format = formatNamed(id)
  if (format === null || format.prompt === null) return { kind: 'no-prompt' }
  const read = readRequest(texts)
  if (read.kind === 'wrong') return read
  const chosen = format.versions.includes(version) ? version : (format.versions[0] ?? '')
  const outcome = renderedPrompt(format, read.conversation, chosen)
  if (outcome.kind === 'refused') return { ...outcome, version: chosen }
  const spelled = tokensInText(format, read.conversation, outcome.parts)
  return { kind: 'prompted', version: chosen, parts: outcome.parts, spelled, alike: alikeIn(format, read.conversation) }
}

function alikeIn(format: Format, conversation: Conversation): readonly (readonly string[])[] {
  const groups = new Map<string, string[]>()
  for (const version of format.versions) {
    const key = JSON.stringify(renderedPrompt(format, conversation, version))
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [version])
    else known.push(version)
  }
  return [...groups.values()]
}

/** Data in a shape that a family does not accept is refused, too. */
function renderedPrompt(format: Format, conversation: Conversation, version: string): PromptOutcome {
  try {
    return format.prompt?.(conversation, version) ?? { kind: 'refused', reason: '' }
  } catch (error) {
    if (error instanceof InputError) return { kind: 'refused', reason: error.message }
    throw error
  }
}

/** A question about a chat template. */
export interface RenderQuestion extends RequestTexts {
  readonly template: string
  /** The special tokens of its tokenizer. Default: `<s>` and `</s>`. */
  readonly tokens?: SpecialTokens
}

/** The prompt that a template renders, or its refusal. */
export type RenderAnswer =
  | { readonly kind: 'rendered'; readonly text: string }
  | { readonly kind: 'raised'; readonly error: TemplateError }
  | { readonly kind: 'wrong'; readonly where: 'tools' | 'conversation'; readonly message: string }

/** Limits that keep the page responsive. */
const PAGE_LIMITS: Partial<Limits> = { steps: 5_000_000, output: 2 ** 22, milliseconds: 5_000 }

/** Renders a template with the variables that transformers gives it. Nothing in a template makes it throw. */
export function renderAnswer({ template, tokens, ...texts }: RenderQuestion): RenderAnswer {
  const compiled = compileTemplate(template)
  if (compiled.error !== null) return { kind: 'raised', error: compiled.error }
  const read = readRequest(texts)
  if (read.kind === 'wrong') return read
  const { messages, tools, options } = read.conversation
  const variables = new Map<string, PyValue>([
    ...Object.entries(tokens ?? USUAL_TOKENS),
    ['messages', messages],
    ['tools', tools ?? null],
    ...options,
  ])
  return compiled.render(variables, { limits: PAGE_LIMITS })
}
