import type { Format } from '@callspec/core'
import { GrammarError } from '../expression.ts'
import type { GrammarTool } from '../sample-calls.ts'
import { isSchema } from '../schema-values.ts'
import { type ArgumentUse, elementArguments, jsonArguments } from './argument-tags.ts'
import { type CallPiece, argumentSpelling, callPieces, callText, headSpellings } from './call-spelling.ts'
import type { Unenforced } from './portable-schema.ts'
import { WHITE_SPACE, firstOfProse } from './prose-pattern.ts'
import { type ReplySpelling, replySpelling } from './reply-spelling.ts'
import {
  type TagFormat,
  anyOf,
  anyTimes,
  asTag,
  constText,
  freeText,
  inSequence,
  marked,
  maybe,
  regexText,
} from './tag-parts.ts'
import { valueSpelling } from './value-spelling.ts'
import { readProbe, writeProbe } from './writer-probe.ts'

/** What a grammar is made for. */
export type ReplyUse = {
  readonly tools: readonly GrammarTool[]
  readonly choice: 'auto' | 'none' | 'required' | { readonly name: string }
  readonly parallel: boolean
  readonly reasoning: boolean
}

/** The tag of all replies that a format, tools and a choice allow, with what it does not enforce. */
export function replyTag(
  format: Format,
  use: ReplyUse,
): { readonly tag: TagFormat; readonly unenforced: readonly Unenforced[]; readonly spelling: ReplySpelling } {
  const spelling = replySpelling(format)
  const unenforced: Unenforced[] = []
  const { choice } = use
  const tools = typeof choice === 'object' ? use.tools.filter(({ name }) => name === choice.name) : use.tools
  if (typeof choice === 'object' && tools.length === 0)
    throw new GrammarError(`The choice ${JSON.stringify(choice.name)} is not one of the tools.`)
  if (tools.length === 0 && choice === 'required') throw new GrammarError('A call is required, but there are no tools.')
  if (use.reasoning && !spelling.callsAfterThought && choice !== 'none')
    throw new GrammarError(`The reader of ${format.id} finds no call after a thought: export it without reasoning.`)
  const calls = choice === 'none' ? [] : callTags(format, spelling, { tools, unenforced })
  const isParallel = use.parallel && typeof choice !== 'object' && spelling.severalCalls
  const parts: Parts = { format, spelling, tools, calls, isParallel }
  const endings = anyOf(constText(''), ...spelling.endings.map(constText))
  const reply = inSequence(...thoughtBefore(spelling, use.reasoning), repliesFor(parts, choice), endings)
  return { tag: reply, unenforced, spelling }
}

type Parts = {
  readonly format: Format
  readonly spelling: ReplySpelling
  readonly tools: readonly GrammarTool[]
  readonly calls: readonly TagFormat[]
  readonly isParallel: boolean
}

function thoughtBefore(spelling: ReplySpelling, reasoning: boolean): readonly TagFormat[] {
  const { thought, hasMessages, mayBeginInThought, mayEndThought } = spelling
  if (!thought) {
    if (reasoning) throw new GrammarError('The format has no marks around thoughts: export it without reasoning.')
    return []
  }
  if (reasoning) return [marked(mayBeginInThought ? '' : thought.open, freeText([]), thought.close)]
  if (mayEndThought) return [maybe(constText(thought.close))]
  // Messages say themselves that they are thoughts: no prompt can turn them off.
  return hasMessages ? [maybe(marked(thought.open, freeText([]), thought.close))] : []
}

function repliesFor(parts: Parts, choice: ReplyUse['choice']): TagFormat {
  const { spelling, calls, isParallel } = parts
  const { trigger, text } = spelling
  if (choice === 'none' || calls.length === 0) return proseOf(spelling)
  if (choice === 'required' || typeof choice === 'object') return forcedCalls(parts)
  if (text.open !== '') return anyOf(proseOf(spelling), inSequence(beforeCalls(spelling), callBlock(parts)))
  if (spelling.isAlone) return anyOf(proseOf(spelling), callBlock(parts))
  if (trigger === null) {
    const joint = spelling.textBeforeCalls.close
    const mixed = joint.trim() === '' ? [] : [inSequence(proseOf(spelling), constText(joint), callBlock(parts))]
    return anyOf(proseOf(spelling), callBlock(parts), ...mixed)
  }
  if (isParallel && !spelling.mayGoOn && !isBlock(spelling))
    return inSequence(proseOf(spelling), maybe(inSequence(constText(spelling.lead), callBlock(parts))))
  if (spelling.stem !== trigger) return looseCalls(parts)
  return afterFirst(spelling, (atLeastOne) => triggered(parts, { trigger, atLeastOne }))
}

function isBlock({ section }: ReplySpelling): boolean {
  return section.open !== '' || section.close !== ''
}

/** Free text with calls in it. */
function triggered(
  { spelling, calls, isParallel }: Parts,
  { trigger, atLeastOne }: { readonly trigger: string; readonly atLeastOne: boolean },
): TagFormat {
  const tags = isBlock(spelling) ? [blockTag(spelling, calls, isParallel)] : calls
  return {
    type: 'triggered_tags',
    triggers: [trigger],
    tags,
    at_least_one: atLeastOne,
    stop_after_first: !(isParallel && spelling.mayGoOn),
    ...(spelling.excluded.length === 0 ? {} : { excludes: spelling.excluded }),
  }
}

// Where prose may hold less than a trigger ends: text, then calls and text in turn.
function looseCalls(parts: Parts): TagFormat {
  const { spelling, isParallel } = parts
  const prose = proseOf(spelling)
  const call = inSequence(
    constText(spelling.lead),
    callBlock({ ...parts, isParallel: isParallel && isBlock(spelling) }),
  )
  return inSequence(prose, isParallel && spelling.mayGoOn ? anyTimes(inSequence(call, prose)) : maybe(call))
}

function blockTag(
  { section, betweenCalls }: ReplySpelling,
  calls: readonly TagFormat[],
  isParallel: boolean,
): TagFormat {
  return marked(section.open, joinedCalls(calls, betweenCalls, isParallel), section.close)
}

function joinedCalls(calls: readonly TagFormat[], separator: string, isParallel: boolean): TagFormat {
  if (!isParallel) return calls.length === 1 && calls[0] ? calls[0] : { type: 'or', elements: calls }
  return { type: 'tags_with_separator', tags: calls, separator, at_least_one: true, stop_after_first: false }
}

/** All calls of a reply as the writer writes them, and nothing else. */
function callBlock({ spelling, calls, isParallel }: Parts): TagFormat {
  const joined = joinedCalls(calls, spelling.betweenCalls, isParallel)
  return isBlock(spelling) ? marked(spelling.section.open, joined, spelling.section.close) : joined
}

function forcedCalls(parts: Parts): TagFormat {
  const { spelling, isParallel } = parts
  if (spelling.text.open !== '') return inSequence(beforeCalls(spelling), callBlock(parts))
  const { trigger } = spelling
  const isFree = trigger !== null && isParallel && spelling.mayGoOn && !isBlock(spelling)
  const leads = anyOf(...forcedLeads(parts).map(constText))
  if (isFree && spelling.stem !== trigger) {
    const call = callBlock({ ...parts, isParallel: false })
    return inSequence(leads, call, proseOf(spelling), anyTimes(inSequence(call, proseOf(spelling))))
  }
  return inSequence(leads, isFree ? triggered(parts, { trigger, atLeastOne: true }) : callBlock(parts))
}

// White space that templates write between a thought or an empty text and the calls, if the reader minds it as little.
function forcedLeads({ format, spelling, tools }: Parts): readonly string[] {
  const { lead, textBeforeCalls } = spelling
  const [tool] = tools
  const found = [lead, ...[textBeforeCalls.close, '', '\n', '\n\n'].filter((one) => one.trim() === '')]
  const sample = writeProbe(format, { calls: [{ name: tool?.name ?? '', given: {} }] }).slice(lead.length)
  return [...new Set(found)].filter((one) => one === lead || readProbe(format, one + sample, [])?.length === 1)
}

/** What precedes calls in a format that encloses text: nothing, an empty text or a text. */
function beforeCalls({ lead, textBeforeCalls, excluded }: ReplySpelling): TagFormat {
  const { open, close } = textBeforeCalls
  return anyOf(constText(lead), marked(open, freeText(excluded.filter((mark) => !close.includes(mark))), close))
}

/** A reply without a call. */
function proseOf(spelling: ReplySpelling): TagFormat {
  const { text, excluded, stem } = spelling
  const marks = stem === null ? excluded : [stem, ...excluded.filter((mark) => !mark.includes(stem))]
  const others = text.close === '' ? marks : marks.filter((mark) => !text.close.includes(mark))
  if (text.open !== '')
    return text.close === ''
      ? inSequence(constText(text.open), freeText(others))
      : marked(text.open, freeText(others), text.close)
  const rest = freeText(marks)
  const first = firstOfProse(spelling)
  return first === null ? rest : anyOf(regexText(WHITE_SPACE), inSequence(regexText(first), rest))
}

function afterFirst(spelling: ReplySpelling, tags: (atLeastOne: boolean) => TagFormat): TagFormat {
  const first = firstOfProse(spelling)
  if (first === null) return tags(false)
  const space = regexText(WHITE_SPACE)
  return anyOf(space, inSequence(regexText(first), tags(false)), inSequence(space, tags(true)))
}

function callTags(
  format: Format,
  reply: ReplySpelling,
  { tools, unenforced }: { readonly tools: readonly GrammarTool[]; readonly unenforced: Unenforced[] },
): readonly TagFormat[] {
  const spelling = argumentSpelling(format, reply)
  const values = spelling.kind === 'elements' ? valueSpelling(format, reply, spelling) : null
  return tools.flatMap((tool) => {
    const { name } = tool
    const call = reply.lead + reply.section.open + callText(format, reply, { name, given: {} }) + reply.section.close
    if (readProbe(format, call, [tool])?.[0]?.name !== name)
      throw new GrammarError(
        `A tool named ${JSON.stringify(name).slice(0, 80)} cannot be called: no call of it is read back.`,
      )
    const pieces = callPieces(format, reply, { tool, spelling })
    if (spelling.kind === 'json' || !values) {
      const content = jsonArguments(tool, unenforced)
      return [pieces, ...headSpellings(format, reply, { tool, pieces })].map((one) => callTag(one, content))
    }
    const use: ArgumentUse = { format, reply, elements: spelling, values, tool, unenforced }
    return elementCalls(use, pieces)
  })
}

// A call without arguments is written as a whole, where it differs from one whose arguments are all left out.
function elementCalls(use: ArgumentUse, pieces: readonly CallPiece[]): readonly TagFormat[] {
  const { format, reply, tool } = use
  const general = callTag(pieces, elementArguments(use))
  const written = callText(format, reply, { name: tool.name, given: {} })
  const usual = pieces
    .map((piece) => (piece.kind === 'text' ? piece.text : piece.kind === 'number' ? piece.first : ''))
    .join('')
  if (written === usual || needsArguments(tool) || pieces.some(({ kind }) => kind === 'id' || kind === 'number'))
    return [general]
  const isRead = readProbe(format, reply.lead + reply.section.open + usual + reply.section.close, [tool])?.length === 1
  const hasOthers = hasArguments(tool)
  const empty = marked(written, constText(''), '')
  return isRead || hasOthers ? [general, empty] : [empty]
}

function needsArguments({ parameters }: GrammarTool): boolean {
  const required = isSchema(parameters) ? parameters['required'] : undefined
  return Array.isArray(required) && required.length > 0
}

function hasArguments({ parameters }: GrammarTool): boolean {
  if (!isSchema(parameters)) return true
  const { properties, additionalProperties } = parameters
  const none = isSchema(properties) && Object.keys(properties).length === 0
  return !(none && (additionalProperties === undefined || additionalProperties === false))
}

function callTag(pieces: readonly CallPiece[], content: TagFormat): TagFormat {
  return asTag(
    inSequence(
      ...pieces.map((piece): TagFormat => {
        switch (piece.kind) {
          case 'text':
            return constText(piece.text)
          case 'number':
            return regexText('[0-9]+')
          case 'id': {
            const id = inSequence(constText(piece.open), regexText('[A-Za-z0-9_-]+'), constText(piece.close))
            return piece.isOptional ? maybe(id) : id
          }
          default:
            return content
        }
      }),
    ),
  )
}
