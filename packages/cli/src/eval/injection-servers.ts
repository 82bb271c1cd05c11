import { formatNamed } from '@callspec/core'
import type { Task, TemplateInUse } from '@callspec/eval'
import { formatId, formatParts, formatsWith, NATIVE, withForgedTexts } from '@callspec/eval'
import type { PlainValue, PyDict } from '@callspec/python'
import { fromPlain } from '@callspec/python'
import { compileTemplate } from '@callspec/template'
import { variablesWithDefaults } from '@callspec/template/source'
import type { Output } from '../output.ts'
import { inert } from '../output.ts'
import type { ServerAddress } from '../template/server.ts'
import { openServerAt } from '../template/server.ts'
import { isSourceError } from '../template/source.ts'
import { examineTextTokens } from '../template/text-tokens.ts'
import type { Endpoint } from './endpoint.ts'
import type { EvalSettings } from './settings.ts'

/** What the servers of a run show: their chat templates, and what their tokenizers make of texts. */
interface ServerFacts {
  readonly templates: readonly TemplateInUse[]
  /** By model. */
  readonly makesTokens: Readonly<Record<string, boolean>>
}

/**
 * The settings of a suite with forged texts, with what the servers show of themselves: `native` then has the marks of the template, and
 * an obeyed turn can be the server's fault. Ten requests of one token per server; one that shows nothing changes nothing.
 */
export async function withServerFacts(settings: EvalSettings, output: Output): Promise<EvalSettings> {
  const facts = await serverFacts(settings, output)
  const { templates, makesTokens } = facts
  if (templates.length === 0 && Object.keys(makesTokens).length === 0) return settings
  const bare = settings.suite.tasks.map((task): Task => {
    const { injection } = task
    return injection === undefined ? task : { ...task, injection: { ...injection, planted: [], makesTokens } }
  })
  const { formats, ownFormats } = settings
  const suite = withForgedTexts(
    { ...settings.suite, tasks: bare },
    { formats, table: formatsWith(ownFormats), templates },
  )
  const chosen = new Set(settings.tasks.map(({ id }) => id))
  return { ...settings, suite, tasks: suite.tasks.filter(({ id }) => chosen.has(id)) }
}

async function serverFacts({ models, formats }: EvalSettings, output: Output): Promise<ServerFacts> {
  const templates: TemplateInUse[] = []
  const makesTokens: Record<string, boolean> = {}
  const asked = formats.map((name) => formatParts(name).bare)
  const spoken = asked.map(formatId).find((id) => formatNamed(id) !== null) ?? null
  for (const { id, name, endpoint } of models) {
    if (endpoint.kind !== 'server') continue
    const server = serverOf(endpoint)
    const write = asked.includes(NATIVE) ? await templateWriter(server, name) : null
    if (write !== null) templates.push({ model: id, write })
    const { verdict, evidence } = await examineTextTokens(server, { model: name, format: spoken, quick: true })
    if (verdict === 'unknown') continue
    makesTokens[id] = verdict === 'warn'
    output.note(`callspec: ${inert(`${id}: ${evidence}`)}`)
  }
  return { templates, makesTokens }
}

/** Long enough for one token. */
const LONGEST_WAIT_MS = 20_000

function serverOf({ baseUrl, apiKey, headers }: Extract<Endpoint, { readonly kind: 'server' }>): ServerAddress {
  const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
  return { url: baseUrl, apiKey, headers: sent, timeoutMs: LONGEST_WAIT_MS }
}

/** Renders with the template that a server shows; null if it shows none. */
async function templateWriter(server: ServerAddress, model: string): Promise<TemplateInUse['write'] | null> {
  try {
    const source = await openServerAt(server, { name: null, model })
    if (source.kind !== 'text') return null
    const template = compileTemplate(source.template)
    return (messages, { tools, isForReply }) => {
      const given = fromPlain({
        messages,
        tools: tools.map((tool) => ({ type: 'function', function: tool })),
        add_generation_prompt: isForReply,
      } as unknown as PlainValue)
      const variables = variablesWithDefaults(given as PyDict, { tokens: source.tokens, forced: new Map() })
      const rendering = template.render(variables, { now: RENDERED_AT })
      return rendering.kind === 'rendered' ? rendering.text : null
    }
  } catch (error) {
    if (isSourceError(error)) return null
    throw error
  }
}

/** A template may write the day; texts must not differ from one day to the next. */
const RENDERED_AT = new Date('2025-03-14T09:26:53Z')
