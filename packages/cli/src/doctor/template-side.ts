import type { PartPath, ProbedTool } from '@callspec/eval/doctor'
import { InputError, isDict } from '@callspec/python'
import { toolPartFate } from '@callspec/template/check'
import type { ToolPartFate, ToolPartResult } from '@callspec/template/check'
import { createRenderer, readJson } from '@callspec/template/source'
import type { Renderer, TemplateServer, TemplateSource } from '@callspec/template/source'
import { quotedLine } from '../output.ts'
import { isSourceError } from '../template/source.ts'
import { keywordParts, partValues, withoutParts } from './schema-parts.ts'

/** `unknown`: the template is not known, or no time was left. */
export interface TemplateAnswer {
  readonly verdict: ToolPartFate | 'unknown'
  readonly evidence: string
}

/** Examines what a template makes of tools. */
export interface TemplateSide {
  /** The name for messages. */
  readonly name: string
  /** Whether a server renders, or counts. */
  readonly asksServer: boolean
  /** One part of a tool: the places in its schema, or texts that must be in the prompt. */
  part(
    tool: ProbedTool,
    what: { readonly parts: readonly PartPath[]; readonly texts: readonly string[] },
  ): Promise<TemplateAnswer>
  /** All keywords of a tool; the worst answer, with the keywords that it is about. */
  keywords(tool: ProbedTool): Promise<TemplateAnswer>
  /** Whether the tools are rendered at all, together. */
  all(tools: readonly ProbedTool[]): Promise<TemplateAnswer>
}

const NOT_EXAMINED: TemplateAnswer = { verdict: 'unknown', evidence: 'not examined: no time was left' }

/** Renders by the text of a template, by a server's prompts, or compares numbers of tokens. Ends after `budgetMs`. */
export function createTemplateSide(source: TemplateSource, budgetMs: number): TemplateSide {
  const end = performance.now() + budgetMs
  const { examine, render } =
    source.kind === 'server' && source.server.view === 'token-counts' ? byCounts(source.server) : byPrompts(source)
  const inTime = async (work: () => Promise<TemplateAnswer>): Promise<TemplateAnswer> => {
    if (performance.now() > end) return NOT_EXAMINED
    try {
      const { verdict, evidence } = await work()
      return { verdict, evidence: quotedLine(evidence, 300) }
    } catch (error) {
      if (!isSourceError(error)) throw error
      return { verdict: 'unknown', evidence: quotedLine(error.message, 300) }
    }
  }
  const part: TemplateSide['part'] = (tool, what) =>
    inTime(async () => {
      const { fate, evidence } = await examine(tool, what)
      return { verdict: fate, evidence }
    })
  return {
    name: source.name,
    asksServer: source.kind === 'server',
    part,
    all: (tools) =>
      inTime(async () => {
        const refusal = await render(tools)
        return refusal === null ? { verdict: 'rendered', evidence: '' } : { verdict: 'refused', evidence: refusal }
      }),
    keywords: async (tool) => {
      const found: { readonly keyword: string; readonly answer: TemplateAnswer }[] = []
      for (const [keyword, parts] of keywordParts(tool.parameters)) {
        const answer = await part(tool, { parts, texts: [] })
        found.push({ keyword, answer })
        if (answer.verdict === 'refused') return answer
      }
      if (found.length === 0) return part(tool, { parts: [], texts: [tool.name] })
      return worst(found)
    },
  }
}

const ORDER = ['refused', 'changed', 'dropped', 'unknown', 'rendered'] as const

function worst(found: readonly { readonly keyword: string; readonly answer: TemplateAnswer }[]): TemplateAnswer {
  const verdict = ORDER.find((one) => found.some(({ answer }) => answer.verdict === one)) ?? 'rendered'
  if (verdict === 'rendered') return { verdict, evidence: '' }
  const parts = (['changed', 'dropped', 'unknown'] as const).flatMap((one) => {
    const named = found.filter(({ answer }) => answer.verdict === one)
    const [first] = named
    if (first === undefined) return []
    const why = one === 'dropped' ? '' : ` (${first.answer.evidence})`
    return [`${one}: ${named.map(({ keyword }) => keyword).join(', ')}${why}`]
  })
  return { verdict, evidence: parts.join('; ') }
}

const MESSAGES = [{ role: 'user', content: 'Please call the tool.' }]

interface Examiner {
  readonly examine: (
    tool: ProbedTool,
    what: { readonly parts: readonly PartPath[]; readonly texts: readonly string[] },
  ) => Promise<ToolPartResult>
  /** Why the tools are not rendered; null if they are. */
  readonly render: (tools: readonly ProbedTool[]) => Promise<string | null>
}

function byPrompts(source: TemplateSource): Examiner {
  const renderer = createRenderer(source, { forced: new Map(), now: new Date(0) })
  const render = (tools: readonly ProbedTool[]): ReturnType<Renderer['render']> => {
    const given = readJson(conversation(tools), 'tools')
    return renderer.render(isDict(given) ? given : new Map())
  }
  return {
    examine: async (tool, { parts, texts }) => {
      const whole = await render([tool])
      if (parts.length === 0) return toolPartFate({ whole, without: null, values: texts })
      const without = await render([withoutParts(tool, parts)])
      return toolPartFate({ whole, without, values: partValues(tool, parts) })
    },
    render: async (tools) => {
      const rendering = await render(tools)
      return rendering.kind === 'raised' ? rendering.error.message : null
    },
  }
}

function conversation(tools: readonly ProbedTool[]): string {
  return JSON.stringify({ messages: MESSAGES, tools: tools.map((tool) => ({ type: 'function', function: tool })) })
}

/** A server that shows only numbers: more tokens with the part than without it are a trace of it. */
function byCounts(server: TemplateServer): Examiner {
  const count = async (tools: readonly ProbedTool[]): Promise<number | string> => {
    const counted = await server.countTokens(conversation(tools))
    if (counted.kind === 'failed') throw new InputError(server.address, counted.reason)
    return counted.kind === 'counted' ? counted.tokens : counted.error.message
  }
  return {
    examine: async (tool, { parts }) => {
      const whole = await count([tool])
      const base = await count(parts.length === 0 ? [{ name: 'a', description: '' }] : [withoutParts(tool, parts)])
      if (typeof whole === 'string') return { fate: 'refused', evidence: whole }
      return whole === base
        ? { fate: 'dropped', evidence: `${whole} tokens with it and without it` }
        : { fate: 'rendered', evidence: '' }
    },
    render: async (tools) => {
      const counted = await count(tools)
      return typeof counted === 'string' ? counted : null
    },
  }
}
