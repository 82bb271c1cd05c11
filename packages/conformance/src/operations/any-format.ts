import { InputError, joinParts } from '@callspec/core'
import { isDict, isList, Raise } from '@callspec/python'
import type { Format, ReadOptions, Reply, ReplyItem } from '@callspec/core'
import type { PyDict, PyValue } from '@callspec/python'
import type { ToolSpec } from '@callspec/core/qwen-agent'
import { answer, flag, list, optionalList, text, texts } from './read.ts'
import { toolChoice } from './tool-choice.ts'

/** What `parse`, `stream` and `render` mean for a format, whichever it is. */
export type AnyFormatOperation = (input: PyDict, asked: Asked) => PyDict

/** The operations that every format of the registry has; `render` only where it has a prompt. */
export const anyFormatOperations: ReadonlyMap<string, AnyFormatOperation> = new Map<string, AnyFormatOperation>([
  ['parse', (input, asked) => replyAnswer(asked.format.read(text(input, 'text'), readingOf(input, asked)))],
  ['stream', stream],
  ['render', render],
])

/** The reading of every beginning that the chunks make, and of the whole. */
function stream(input: PyDict, asked: Asked): PyDict {
  const reader = asked.format.createReader(readingOf(input, asked))
  const snapshots = texts(input, 'chunks').map((chunk) => {
    reader.push(chunk)
    return replyAnswer(reader.snapshot())
  })
  reader.end()
  return answer({ snapshots, final: replyAnswer(reader.snapshot()) })
}

interface Asked {
  readonly format: Format
  readonly version: string
}

function readingOf(input: PyDict, { version }: Asked): ReadOptions {
  return { ...readOptions(input), version }
}

function render(input: PyDict, { format, version }: Asked): PyDict {
  if (format.prompt === null) throw new InputError('op', `${format.id} has no prompt of its own.`)
  const tools = input.get('tools')
  const outcome = format.prompt(
    {
      // Instead of messages a family may be given a conversation in a shape of its own.
      messages: input.has('conversation') && !input.has('messages') ? [] : list(input, 'messages').filter(isDict),
      tools: isList(tools) ? tools : tools === undefined ? undefined : null,
      options: new Map([...input].filter(([key]) => key !== 'messages' && key !== 'tools')),
    },
    version,
  )
  if (outcome.kind === 'refused') throw new Raise('Refused', outcome.reason)
  return answer({ text: joinParts(outcome.parts) })
}

/** What a question says about the request. */
export function readOptions(input: PyDict): ReadOptions {
  return {
    tools: (optionalList(input, 'tools') ?? []).filter(isDict) as readonly ToolSpec[],
    toolChoice: toolChoice(input),
    thoughtInContent: flag(input, 'thought_in_content'),
    thinking: asksForThoughts(input),
  }
}

/** Whether the request switched thinking on, for formats whose thoughts are words otherwise. */
function asksForThoughts(input: PyDict): boolean {
  const request = input.get('request')
  return isDict(request) && request.get('thinking') === true
}

function replyAnswer({ items, error }: Reply): PyDict {
  if (error !== null) throw new Raise(error.type, error.message)
  return answer({ items: items.flatMap(itemAnswer) })
}

/** Issues are no part of an answer: what a reader says about a text is its own affair. */
function itemAnswer(item: ReplyItem): readonly PyDict[] {
  switch (item.kind) {
    case 'text':
    case 'reasoning':
      return [answer({ type: item.kind, text: item.text })]
    case 'call': {
      const id: readonly (readonly [string, PyValue])[] = item.id === null ? [] : [['id', item.id]]
      return [new Map<string, PyValue>([['type', 'call'], ...id, ['name', item.name], ['arguments', item.arguments]])]
    }
    default:
      return []
  }
}
