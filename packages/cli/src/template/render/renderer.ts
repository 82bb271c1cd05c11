import { attempt, dumps } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { compileTemplate } from '@callspec/template'
import type { Rendering, TemplateError } from '@callspec/template'
import { sentence } from '../../sentence.ts'
import { quoted } from '../../terminal.ts'
import { UsageError } from '../../usage-error.ts'
import type { ServerSource, TemplateSource, TextSource } from '../source/template-source.ts'
import { allVariables } from './variables.ts'
import type { VariableSettings } from './variables.ts'

/** A source that can be asked for prompts. */
export interface Renderer {
  /** Why nothing will ever be rendered, or null. */
  readonly error: TemplateError | null
  /** @throws UsageError for a server that does not answer */
  render(given: PyDict): Promise<Rendering>
}

/** @throws UsageError for a server that shows no more than numbers of tokens */
export function createRenderer(source: TemplateSource, settings: VariableSettings): Renderer {
  return source.kind === 'text' ? ofText(source, settings) : ofServer(source, settings)
}

function ofText({ template, tokens }: TextSource, { forced, now }: VariableSettings): Renderer {
  const compiled = compileTemplate(template)
  return {
    error: compiled.error,
    render: (given) => Promise.resolve(compiled.render(allVariables(given, { tokens, forced }), { now })),
  }
}

function ofServer({ server, name }: ServerSource, { forced }: VariableSettings): Renderer {
  if (server.view === 'token-counts')
    throw new UsageError(
      `${name}: shows only how many tokens a prompt has, no prompt. Give the template's file instead.`,
    )
  return {
    error: null,
    render: async (given) => {
      const answer = await server.applyTemplate(serverRequest(allVariables(given, { tokens: {}, forced })))
      if (answer.kind !== 'failed') return answer
      throw new UsageError(`${name}: /apply-template gave no prompt: ${sentence(answer.reason)}`)
    },
  }
}

/** What servers take beside `chat_template_kwargs`. */
const REQUEST_MEMBERS: ReadonlySet<string> = new Set(['messages', 'tools', 'add_generation_prompt'])

/** A request to a server that renders with these variables. What is null is left out, as clients leave it out. */
export function serverRequest(variables: PyDict): string {
  const entries = [...variables].filter(([, value]) => value !== null)
  const members = entries.filter(([name]) => REQUEST_MEMBERS.has(name))
  const further = entries.filter(([name]) => !REQUEST_MEMBERS.has(name))
  const kwargs: (readonly [string, PyValue])[] =
    further.length === 0 ? [] : [['chat_template_kwargs', new Map(further)]]
  const text = attempt(() => dumps(new Map([...members, ...kwargs])))
  if (text.kind === 'returned') return text.value
  throw new UsageError(`The variables cannot be sent to a server: ${sentence(text.error.message)}`)
}

/** Where in a source an error stands, and what it is, in one line. */
export function raiseText(
  { name, place }: { readonly name: string; readonly place: string },
  error: TemplateError,
): string {
  const { type, message, line, column } = error
  const at = [line, column].filter((each) => each !== undefined)
  const spot = place === '' ? [name, ...at].join(':') : [`${name}: ${place}`, ...at].join(':')
  return `${spot}: ${type}: ${quoted(message, 300)}`
}

/** The name and place of a source, for `raiseText`. */
export function placeOf(source: TemplateSource): { readonly name: string; readonly place: string } {
  return { name: source.name, place: source.kind === 'text' ? source.place : '' }
}
