import { InputError } from '@callspec/core'
import type { StreamDelta, ToolCallPiece, ToolSpec } from '@callspec/core/qwen-agent'
import { fromPlain, isDict } from '@callspec/python'
import type { PyValue } from '@callspec/python'

/** Changes the deltas of one stream as they come. */
export type DeltaBug = (delta: StreamDelta) => StreamDelta

/**
 * The mistake of that name, for one stream.
 *
 * @throws InputError for a name that none has
 */
export function deltaBug(name: string, tools: readonly ToolSpec[]): DeltaBug {
  const found = BUGS.get(name)
  if (found === undefined) throw new InputError('mutant', `has an unknown mistake "${name}" about deltas.`)
  return found(tools)
}

const BUGS: ReadonlyMap<string, (tools: readonly ToolSpec[]) => DeltaBug> = new Map([
  ['index-of-tool', indexOfTool],
  ['index-always-first', () => pieces((piece) => ({ ...piece, index: 0 }))],
  ['name-again', nameAgain],
  ['first-brace-lost', firstBraceLost],
  ['last-brace-lost', lastBraceLost],
  ['empty-arguments-lost', () => withArguments((text) => (text === '{}' ? '' : text))],
  ['text-behind-calls-lost', textBehindLost],
  ['half-characters', () => withArguments((text) => text.replace(/[\ud800-\udfff]/g, '\ufffd'))],
])

// A mistake about arguments is made from the second call on: made in every call it would leave no answer right.

function pieces(change: (piece: ToolCallPiece) => ToolCallPiece): DeltaBug {
  return (given) => {
    const { tool_calls: calls } = given.delta
    return calls === undefined ? given : { ...given, delta: { ...given.delta, tool_calls: calls.map(change) } }
  }
}

function withArguments(change: (text: string, index: number) => string): DeltaBug {
  return pieces((piece) => {
    const { function: called, index } = piece
    return called.arguments === ''
      ? piece
      : { ...piece, function: { ...called, arguments: change(called.arguments, index) } }
  })
}

/** The place in the list of tools, not in the reply. */
function indexOfTool(tools: readonly ToolSpec[]): DeltaBug {
  const names = tools.map(nameOf)
  const places = new Map<number, number>()
  return pieces((piece) => {
    const { name } = piece.function
    if (name !== undefined && names.includes(name)) places.set(piece.index, names.indexOf(name))
    return { ...piece, index: places.get(piece.index) ?? piece.index }
  })
}

function nameOf(tool: ToolSpec): PyValue {
  const given = fromPlain(tool)
  if (!isDict(given)) return null
  const wrapped = given.get('function')
  return (isDict(wrapped) ? wrapped : given).get('name') ?? null
}

function nameAgain(): DeltaBug {
  const names = new Map<number, string>()
  return pieces((piece) => {
    const { name } = piece.function
    if (name !== undefined) names.set(piece.index, name)
    return piece.index === 0 ? piece : { ...piece, function: { ...piece.function, name: names.get(piece.index) ?? '' } }
  })
}

function firstBraceLost(): DeltaBug {
  const begun = new Set<number>()
  return withArguments((text, index) => {
    if (index === 0 || begun.has(index)) return text
    begun.add(index)
    return text.slice(1)
  })
}

/** A closing brace at the end of a delta waits for more, which never comes. */
function lastBraceLost(): DeltaBug {
  const held = new Map<number, string>()
  return withArguments((text, index) => {
    if (index === 0) return text
    const all = (held.get(index) ?? '') + text
    const kept = all.endsWith('}') ? all.slice(0, -1) : all
    held.set(index, all.slice(kept.length))
    return kept
  })
}

function textBehindLost(): DeltaBug {
  let hasCalls = false
  return (given) => {
    hasCalls ||= given.delta.tool_calls !== undefined
    if (!hasCalls || given.delta.content === undefined) return given
    const { content: _content, ...delta } = given.delta
    return { ...given, delta }
  }
}
