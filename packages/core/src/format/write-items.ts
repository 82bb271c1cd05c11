import { loads, isDict, attempt, unreachable } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import type { CallItem, ReplyItem } from '../reply/item.ts'

/** Writes one call. `given` are its arguments read without loss; empty where they are no JSON object. */
export type WriteCall = (call: CallItem, given: PyDict, index: number) => string

/** How a model writes the items of a reply, as data. */
export interface ItemSpelling {
  /** Around a thought; absent where the format has none, and then thoughts are left out. */
  readonly thought?: { readonly open: string; readonly close: string }
  /** Around a text; absent where it stands bare. `beforeCalls`: an empty one stands before calls that have no text. */
  readonly text?: { readonly open: string; readonly close: string; readonly beforeCalls?: true }
  /** Between a text and the calls behind it. */
  readonly beforeCalls?: string
  /** Around all the calls of a reply that follow each other. */
  readonly section?: { readonly open: string; readonly close: string }
  /** Between two calls. */
  readonly betweenCalls?: string
  readonly call: WriteCall
}

/** The text of a reply, as the model would have written it. Issues are nothing that anybody writes. */
export function writeItems({ thought, section, ...spelling }: ItemSpelling, items: readonly ReplyItem[]): string {
  let text = ''
  let index = 0
  for (const [at, item] of items.entries()) {
    const isBehindCall = items[at - 1]?.kind === 'call'
    const isBeforeCall = items[at + 1]?.kind === 'call'
    switch (item.kind) {
      case 'text':
        text += (spelling.text?.open ?? '') + item.text + (spelling.text?.close ?? '')
        if (isBeforeCall) text += spelling.beforeCalls ?? ''
        break
      case 'reasoning':
        if (thought !== undefined) text += thought.open + item.text + thought.close
        break
      case 'call':
        if (spelling.text?.beforeCalls === true && !isBehindCall && items[at - 1]?.kind !== 'text')
          text += spelling.text.open + spelling.text.close
        text += isBehindCall ? (spelling.betweenCalls ?? '') : (section?.open ?? '')
        text += spelling.call(item, argumentsOf(item), index++)
        if (!isBeforeCall) text += section?.close ?? ''
        break
      case 'issue':
        break
      default:
        unreachable(item)
    }
  }
  return text
}

const NOTHING: PyDict = new Map()

function argumentsOf(call: CallItem): PyDict {
  const outcome = attempt(() => loads(call.arguments))
  return outcome.kind === 'returned' && isDict(outcome.value) ? outcome.value : NOTHING
}
