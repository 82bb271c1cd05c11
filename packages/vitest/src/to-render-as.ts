import { firstDifference } from '@callspec/conformance'
import type { Difference } from '@callspec/conformance'
import { attempt, fromPlain, isDict, loads } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { compileTemplate } from '@callspec/template'
import type { Rendering, Variables } from '@callspec/template'

import { matched } from './explain.ts'
import type { MatcherResult } from './explain.ts'

/** What a template is expected to make of a conversation: the prompt, or a raise of this kind. */
export type ExpectedRendering = string | { readonly raises: string }

/** What a rendering depends on besides the variables. */
export interface RenderingOptions {
  /** What `strftime_now` shows, in UTC. Default: 2026-01-15T12:00:00Z, so that no test depends on the day. */
  readonly now?: Date
}

const NOW = new Date('2026-01-15T12:00:00Z')

/**
 * Whether a chat template makes this prompt of these variables, byte for byte. Takes its text, or `{ source, tokens }`. The
 * variables are JSON text, which loses nothing, or plain data; what is not given is as in transformers, with
 * `add_generation_prompt` true.
 *
 * @throws TypeError for what is no template, and for variables that are no JSON object
 */
export function toRenderAs(
  received: unknown,
  variables: Variables,
  expected: ExpectedRendering,
  { now = NOW }: RenderingOptions = {},
): MatcherResult {
  const { source, tokens } = templateOf(received)
  const rendering = compileTemplate(source).render(withDefaults(variables, tokens), { now })
  const what = {
    is: 'the template renders as it was not expected to',
    isNot: 'the template renders otherwise than expected',
  }
  return matched(what, renderingDifference(expected, rendering))
}

function templateOf(received: unknown): { readonly source: string; readonly tokens: Readonly<Record<string, string>> } {
  if (typeof received === 'string') return { source: received, tokens: {} }
  if (typeof received === 'object' && received !== null && 'source' in received && typeof received.source === 'string')
    return { tokens: {}, ...(received as { readonly source: string }) }
  throw new TypeError('toRenderAs: the received value is no template. Give its text, or { source, tokens }.')
}

function withDefaults(variables: Variables, tokens: Readonly<Record<string, string>>): PyDict {
  const read = attempt(() => (typeof variables === 'string' ? loads(variables) : fromPlain(variables)))
  if (read.kind === 'raised' || !isDict(read.value))
    throw new TypeError('toRenderAs: the variables are no JSON object. Give { messages: […] }, or JSON text of it.')
  return new Map<string, PyValue>([
    ['tools', null],
    ['documents', null],
    ['add_generation_prompt', true],
    ...Object.entries(tokens),
    ...read.value,
  ])
}

function renderingDifference(expected: ExpectedRendering, rendering: Rendering): Difference | null {
  if (typeof expected === 'string' && rendering.kind === 'rendered') return firstDifference(expected, rendering.text)
  const wanted = typeof expected === 'string' ? expected : `raises ${expected.raises}`
  const found = rendering.kind === 'rendered' ? `renders ${rendering.text}` : raiseText(rendering, expected)
  const isRaise = typeof expected !== 'string' && rendering.kind === 'raised'
  // A prompt that spells what a raise is shown as is no raise.
  return firstDifference(wanted, !isRaise && wanted === found ? `${found} (no prompt)` : found)
}

/** With the message where a prompt was expected: it says why there is none. */
function raiseText({ error }: Extract<Rendering, { readonly kind: 'raised' }>, expected: ExpectedRendering): string {
  const line = error.line === undefined ? '' : ` in line ${error.line}`
  return typeof expected === 'string' ? `raises ${error.type}${line}: ${error.message}` : `raises ${error.type}`
}
