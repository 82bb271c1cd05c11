import { compileTemplate } from '@callspec/template'
import type { Limits, TemplateError } from '@callspec/template'
import { USUAL_TOKENS } from '@callspec/template/lint'
import type { PyValue } from '@callspec/python'
import { readRequest } from '../request/read-request.ts'
import type { RequestTexts } from '../request/read-request.ts'

/** What is asked of a chat template. */
export interface RenderQuestion extends RequestTexts {
  readonly template: string
}

/** What a template makes of the conversation. */
export type RenderAnswer =
  | { readonly kind: 'rendered'; readonly text: string }
  | { readonly kind: 'raised'; readonly error: TemplateError }
  | { readonly kind: 'wrong'; readonly where: 'tools' | 'conversation'; readonly message: string }

/** A page is no place for more. */
const LIMITS: Partial<Limits> = { steps: 5_000_000, output: 2 ** 22, milliseconds: 5_000 }

/** Renders a template with the variables that transformers gives it. Nothing in a template makes it throw. */
export function renderAnswer({ template, ...texts }: RenderQuestion): RenderAnswer {
  const compiled = compileTemplate(template)
  if (compiled.error !== null) return { kind: 'raised', error: compiled.error }
  const read = readRequest(texts)
  if (read.kind === 'wrong') return read
  const { messages, tools, options } = read.conversation
  const variables = new Map<string, PyValue>([
    ...Object.entries(USUAL_TOKENS),
    ['messages', messages],
    ['tools', tools ?? null],
    ...options,
  ])
  return compiled.render(variables, { limits: LIMITS })
}
