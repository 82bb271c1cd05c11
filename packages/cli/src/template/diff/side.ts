import { createHash } from 'node:crypto'
import type { PyDict } from '@callspec/python'
import { compileTemplate } from '@callspec/template'
import type { TemplateError } from '@callspec/template'
import type { Invocation } from '../../command.ts'
import { sentence } from '../../sentence.ts'
import { UsageError } from '../../usage-error.ts'
import { raiseText, placeOf, serverRequest } from '../render/renderer.ts'
import { allVariables } from '../render/variables.ts'
import type { VariableSettings } from '../render/variables.ts'
import { openTemplateSource } from '../source/open-source.ts'
import type { SpecialTokens, TemplateSource } from '../source/template-source.ts'
import type { TemplateServer } from '../source/template-server.ts'
import type { DiffProbe } from './diff-probes.ts'

/** What a side makes of a conversation. */
export type Shown =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'raised'; readonly error: TemplateError }
  | { readonly kind: 'tokens'; readonly tokens: number }

/** One side of a comparison. */
export interface Side {
  readonly name: string
  /** Of the template's text in UTF-8; null where the text is not shown. */
  readonly sha256: string | null
  /** How its prompts are seen, for people. */
  readonly by: string
  /** The server that is asked; null where the text is rendered here. */
  readonly server: TemplateServer | null
  readonly tokens: SpecialTokens
  /** @throws UsageError for a server that does not answer */
  show(probe: DiffProbe): Promise<Shown>
}

/** A source that may be a side. */
export async function openSide(path: string, invocation: Invocation): Promise<TemplateSource> {
  const source = await openTemplateSource(path, invocation)
  const error = source.kind === 'text' ? compileTemplate(source.template).error : null
  if (error !== null) throw new UsageError(raiseText(placeOf(source), error))
  return source
}

/**
 * The side of a source. A server renders by itself where it can be asked to: what it serves is what is compared.
 *
 * @param given.tokens special tokens of the other side, for a source that does not name its own
 */
export async function createSide(
  source: TemplateSource,
  given: { readonly settings: VariableSettings; readonly tokens: SpecialTokens },
): Promise<Side> {
  const { name, server } = source
  const tokens = source.kind === 'text' ? { ...given.tokens, ...source.tokens } : {}
  const sha256 = source.kind === 'text' ? createHash('sha256').update(source.template).digest('hex') : null
  const view = server === null ? 'text' : await viewOf(server)
  if (source.kind === 'text' && (server === null || view === 'text')) {
    const by = server === null ? 'rendered here' : 'the text that it shows, rendered here'
    return { name, sha256, by, server: null, tokens, show: hereShow(source.template, { ...given, tokens }) }
  }
  if (server === null) throw new Error('callspec: a side without a text and without a server')
  const show = serverShow(server, { view, forced: given.settings.forced })
  return { name, sha256, by: view === 'prompts' ? '/apply-template' : 'prompt_tokens', server, tokens, show }
}

const TRIAL = '{"messages": [{"role": "user", "content": "Hi."}]}'

async function viewOf(server: TemplateServer): Promise<TemplateServer['view']> {
  if (server.view !== 'text') return server.view
  return (await server.applyTemplate(TRIAL)).kind === 'rendered' ? 'prompts' : 'text'
}

/** The conversations are short; a hostile template meets some fifty of them. */
const LIMITS = { milliseconds: 2_000, steps: 2_000_000, output: 4 * 2 ** 20 }

function hereShow(
  template: string,
  { tokens, settings }: { readonly tokens: SpecialTokens; readonly settings: VariableSettings },
): Side['show'] {
  const compiled = compileTemplate(template)
  return (probe) => {
    const variables = allVariables(probe.variables, { tokens, forced: settings.forced })
    const rendering = compiled.render(variables, { now: probe.now ?? settings.now, limits: LIMITS })
    return Promise.resolve(rendering.kind === 'raised' ? rendering : ({ kind: 'text', text: rendering.text } as const))
  }
}

function serverShow(
  server: TemplateServer,
  { view, forced }: { readonly view: TemplateServer['view']; readonly forced: PyDict },
): Side['show'] {
  return async ({ variables }) => {
    const given = new Map([...variables, ...forced])
    // What is usual anyway is no member of the API, and strict servers refuse it.
    if (view === 'token-counts' && given.get('add_generation_prompt') === true) given.delete('add_generation_prompt')
    const request = serverRequest(given)
    const answer = await (view === 'prompts' ? server.applyTemplate(request) : server.countTokens(request))
    switch (answer.kind) {
      case 'rendered':
        return { kind: 'text', text: answer.text }
      case 'counted':
        return { kind: 'tokens', tokens: answer.tokens }
      case 'raised':
        return answer
      default:
        throw new UsageError(`${server.address}: stopped answering: ${sentence(answer.reason)}`)
    }
  }
}

/** Whether a server can be asked for the conversation: its clock is its own, and empty lists are often refused there. */
export function isForServers({ now, variables }: DiffProbe): boolean {
  return now === null && variables.get('add_generation_prompt') !== false && !isEmptyList(variables.get('tools'))
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}
