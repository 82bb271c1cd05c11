import { type Format, callsOf } from '@callspec/core'
import { acceptText } from '../accept.ts'
import type { CompiledGrammar } from '../compile.ts'
import { misfit } from '../fits.ts'
import { type SampleCall, type SampleReply, type GrammarTool, sampleReplies } from '../sample-calls.ts'
import { isSchema } from '../schema-values.ts'
import { shrinkReply } from '../shrink.ts'
import { formatWriter } from '../template-texts.ts'
import type { Unenforced } from './portable-schema.ts'
import type { ReplySpelling } from './reply-spelling.ts'
import type { ReplyUse } from './reply-tag.ts'
import { isProse, jsonOf } from './writer-probe.ts'

/**
 * What an export cannot say. `refused`: a text that is written for calls that fit, and that the reader reads, but the grammar refuses;
 * `text` is the smallest one. `accepted`: a condition of a schema that the grammar does not enforce; `text` is null.
 */
export type ExportLoss = {
  readonly kind: 'refused' | 'accepted'
  readonly about: string
  readonly text: string | null
}

type LossUse = ReplyUse & {
  readonly format: Format
  readonly spelling: ReplySpelling
  readonly unenforced: readonly Unenforced[]
  /** The grammar for some of the tools: samples of one are compared with a small grammar. */
  readonly grammarFor: (tools: readonly GrammarTool[]) => CompiledGrammar | null
}

/** Finds losses by asking: what the writer writes for a sample is compared with the grammar. */
export function exportLosses(use: LossUse): readonly ExportLoss[] {
  const found = new Map<string, ExportLoss>()
  const { choice } = use
  const tools = typeof choice === 'object' ? use.tools.filter(({ name }) => name === choice.name) : use.tools
  const refused = tools.flatMap((tool, index): readonly Refused[] => {
    const grammar = use.grammarFor([tool])
    const prose = index === 0 && grammar ? refusedProse(use, grammar) : []
    return grammar && choice !== 'none' ? [...refusedCalls(use, tool, grammar), ...prose] : prose
  })
  for (const { about, text } of refused) if (!found.has(about)) found.set(about, { kind: 'refused', about, text })
  for (const { path, keyword } of use.unenforced) {
    const about = `${path}: ${keyword} is not enforced`
    found.set(about, { kind: 'accepted', about, text: null })
  }
  return [...found.values()]
}

type Refused = { readonly about: string; readonly text: string }

function refusedCalls(use: LossUse, tool: GrammarTool, grammar: CompiledGrammar): readonly Refused[] {
  const { format, reasoning } = use
  const write = formatWriter(format, jsonOf)
  const thought = reasoning ? 'Hm.' : null
  const written = (reply: SampleReply): string | null => {
    const text = write(reply)
    return text === null || !reasoning ? text : fromThought(text, use.spelling)
  }
  const isLoss = (reply: SampleReply): boolean => {
    if (reply.calls.length === 0 || (reasoning && reply.thought === null)) return false
    const text = written(reply)
    return text !== null && !isAccepted(text, format, grammar) && isReadBack(text, reply, { ...use, tools: [tool] })
  }
  return specialCalls(tool, use).flatMap(({ about, call }): readonly Refused[] => {
    const reply: SampleReply = { id: '', thought, text: null, calls: [call] }
    if (!isLoss(reply)) return []
    const small = shrinkReply(reply, isLoss)
    return [{ about, text: written(small) ?? '' }]
  })
}

function fromThought(text: string, { thought, mayBeginInThought }: ReplySpelling): string {
  const open = thought?.open ?? ''
  return mayBeginInThought && text.startsWith(open) ? text.slice(open.length) : text
}

// A writer leaves out the token that ends a message.
function isAccepted(text: string, format: Format, grammar: CompiledGrammar): boolean {
  return ['', ...format.stops.handOver].some((end) => acceptText(grammar, text + end).accepted)
}

function isReadBack(text: string, { calls }: SampleReply, use: LossUse): boolean {
  const { format, tools, reasoning, spelling } = use
  const definitions = tools.map(({ name, parameters }) => ({ name, parameters: parameters as never }))
  const thoughtInContent = reasoning && spelling.mayBeginInThought
  const reply = format.read(text, { tools: definitions, parallelCalls: true, thinking: reasoning, thoughtInContent })
  const read = callsOf(reply.items)
  if (reply.items.some((item) => item.kind === 'issue' && item.weight === 'harm')) return false
  return (
    read.length === calls.length &&
    read.every((one, index) => {
      const given = calls[index]
      const schema = tools.find(({ name }) => name === one.name)?.parameters
      try {
        const value = JSON.parse(one.arguments) as unknown
        return one.name === given?.name && misfit(value, schema) === null && isSame(value, given.arguments)
      } catch {
        return false
      }
    })
  )
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Calls that fit a schema, and that a grammar may still refuse. */
function specialCalls({ name, parameters }: GrammarTool, use: LossUse): readonly { about: string; call: SampleCall }[] {
  const calls = sampleReplies([{ name, parameters }], { thoughts: false, several: false, prose: false }).flatMap(
    (reply) => reply.calls.map((call) => ({ id: reply.id, call })),
  )
  const longest = calls.reduce((most, { call }) => (size(call) > size(most) ? call : most), { name, arguments: {} })
  const special = calls.map(({ id, call }) => ({ about: id, call }))
  if (size(longest) > 1) {
    const reversed = Object.fromEntries(Object.entries(longest.arguments).reverse())
    special.push({
      about: `${name}: arguments in another order than the schema's`,
      call: { name, arguments: reversed },
    })
  }
  const schema = isSchema(parameters) ? parameters : {}
  if (!('additionalProperties' in schema))
    special.push({
      about: `${name}: an argument that the schema does not list, although it does not forbid it`,
      call: { name, arguments: { ...calls[0]?.call.arguments, extra: 'a' } },
    })
  const { additionalProperties: other } = schema
  if (other === true || isSchema(other)) {
    const [value] = calls.flatMap(({ call }) => ('extra' in call.arguments ? [call.arguments['extra']] : []))
    const given = { ...calls[0]?.call.arguments, extra: value ?? 'a', other: value ?? 'a' }
    special.push({ about: `${name}: two arguments that the schema does not declare`, call: { name, arguments: given } })
  }
  const text = Object.entries(longest.arguments).find(([, value]) => typeof value === 'string')
  const marks = [...use.format.markers.callInner, ...use.format.markers.callEnd]
  if (text)
    for (const mark of marks)
      special.push({
        about: `${name}: a text that holds ${JSON.stringify(mark)}`,
        call: { name, arguments: { ...longest.arguments, [text[0]]: mark } },
      })
  return special.filter(({ call }) => misfit(call.arguments, parameters) === null)
}

const size = (call: SampleCall): number => Object.keys(call.arguments).length

function refusedProse(use: LossUse, grammar: CompiledGrammar): readonly Refused[] {
  const { choice, format, spelling, reasoning } = use
  if ((choice !== 'auto' && choice !== 'none') || spelling.text.open !== '') return []
  const marks = [spelling.stem, spelling.trigger, ...spelling.excluded].filter((mark) => mark !== null)
  const texts = [...marks.map((mark) => `See ${mark} here.`), ...[...spelling.notFirst].map((mark) => `${mark}1`)]
  const before = reasoning && spelling.thought ? spelling.thought.close : ''
  return texts
    .filter((text) => isProse(format, text, text) && !isAccepted(before + text, format, grammar))
    .map((text) => ({
      about: 'prose that holds a mark of calls or thoughts, or begins like a call',
      text: before + text,
    }))
}
