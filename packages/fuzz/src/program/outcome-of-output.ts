import { dumps, loads } from '@callspec/python/outcome'
import { isDict, isList } from '@callspec/python'
import type { AssistantMessage, FunctionCall, ParseOutcome } from '@callspec/core/qwen-agent'
import type { PyDict, PyValue } from '@callspec/python'

/**
 * The outcome that an output of `parse` or `stream` stands for, in one form whatever the implementation chose: reasoning, prose,
 * then the calls, with arguments that are JSON in one spelling. Where they stood between each other is not compared: the flat
 * form and deltas of the protocol do not say.
 */
export function outcomeOfOutput(output: PyDict): ParseOutcome {
  const deltas = output.get('deltas')
  if (isList(deltas)) return outcomeOf(foldedDeltas(deltas))
  const final = output.get('final')
  return outcomeOf(partsOf(isDict(final) ? final : output))
}

/** An input that was refused. */
export const REJECTED: ParseOutcome = {
  kind: 'rejected',
  error: { type: 'rejected', message: '' },
  issue: { code: 'rejected', message: '', start: 0, end: 0 },
}

interface Parts {
  readonly reasoning: string
  readonly content: string
  readonly calls: readonly GivenCall[]
}

/** A symbol, so that a finding does not show it. */
const UNORDERED: unique symbol = Symbol('unordered')

interface GivenCall extends FunctionCall {
  readonly [UNORDERED]?: true
}

/** Whether a program gave the arguments of a call as a value: the order of its keys says nothing, as an object may not keep it. */
export function isUnordered(call: GivenCall): boolean {
  return call[UNORDERED] === true
}

function outcomeOf({ reasoning, content, calls }: Parts): ParseOutcome {
  const messages: AssistantMessage[] = []
  if (reasoning !== '') messages.push({ role: 'assistant', content: '', reasoning_content: reasoning })
  if (content !== '') messages.push({ role: 'assistant', content })
  for (const call of calls)
    messages.push({
      role: 'assistant',
      content: '',
      function_call: { ...call, arguments: respelled(call.arguments) },
    })
  return { kind: 'parsed', messages, issues: [] }
}

function partsOf(output: PyDict): Parts {
  const items = output.get('items')
  if (!isList(items)) {
    const calls = output.get('calls')
    return {
      reasoning: textAt(output, 'reasoning'),
      content: textAt(output, 'content'),
      calls: isList(calls) ? calls.filter(isDict).map(callOf) : [],
    }
  }
  const dicts = items.filter(isDict)
  const textsOf = (type: string): string =>
    dicts
      .filter((item) => item.get('type') === type)
      .map((item) => textAt(item, 'text'))
      .join('')
  return {
    reasoning: textsOf('reasoning'),
    content: textsOf('text'),
    calls: dicts.filter((item) => item.get('type') === 'call').map(callOf),
  }
}

function callOf(call: PyDict): Parts['calls'][number] {
  const [name, given] = [textAt(call, 'name'), call.get('arguments')]
  return typeof given === 'string' ? { name, arguments: given } : { name, arguments: written(given), [UNORDERED]: true }
}

function foldedDeltas(deltas: readonly PyValue[]): Parts {
  const texts = { reasoning: '', content: '' }
  const calls = new Map<number, { name: string; arguments: string }>()
  for (const entry of deltas) {
    const delta = isDict(entry) ? entry.get('delta') : undefined
    if (!isDict(delta)) continue
    texts.reasoning += textAt(delta, 'reasoning')
    texts.content += textAt(delta, 'content')
    const pieces = delta.get('calls')
    for (const piece of isList(pieces) ? pieces.filter(isDict) : []) {
      const index = Number(piece.get('index') ?? 0)
      const call = calls.get(index) ?? { name: '', arguments: '' }
      calls.set(index, call)
      call.name += textAt(piece, 'name')
      call.arguments += textAt(piece, 'arguments')
    }
  }
  const inOrder = [...calls].toSorted(([one], [other]) => one - other)
  return { ...texts, calls: inOrder.map(([, call]) => call) }
}

/** JSON in Python's spelling; what is no JSON stays as it is. */
function respelled(text: string): string {
  const read = loads(text)
  return read.kind === 'returned' ? written(read.value) : text
}

function written(value: PyValue | undefined): string {
  if (value === undefined) return ''
  const text = dumps(value)
  return text.kind === 'returned' ? text.value : ''
}

function textAt(map: PyDict, key: string): string {
  const value = map.get(key)
  return typeof value === 'string' ? value : ''
}
