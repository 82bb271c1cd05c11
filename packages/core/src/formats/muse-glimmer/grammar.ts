import type { PyDict, PyValue } from '@callspec/python'
import { dumps, str } from '@callspec/python'
import type { Grammar, HeadPlace, ReadHead, Transitions } from '../../grammar/grammar.ts'
import { typeValueBySchema } from '../../grammar/values.ts'
import type { ReplyItem } from '../../reply/item.ts'
import { callArguments } from '../../format/grammar-format.ts'

export const START = '<|start|>'
export const MESSAGE = '<|message|>'
/** Ends a message; more of the turn follows. */
export const NEXT = '<|eom|>'
/** Ends the turn. */
const END = '<|eot|>'

const INVOKE = '<atem:invoke name="'
const CLOSE = '</atem:function_calls>'

/** In a text the end of a message counts only if the next one follows, or the reply ends. */
const ENDS: Transitions = { [NEXT]: { to: 'between', followedBy: [START] } }

/** Where `readHead` is not asked, a head leads nowhere else. */
const HEAD_ENDS: Transitions = { [MESSAGE]: 'text', [NEXT]: 'text', [END]: 'text', [START]: 'text' }

/** How replies are read. The prompt ends with `<|start|>assistant`, so that a reply begins inside a head. */
export const grammar: Grammar = {
  start: 'first',
  stops: [END],
  states: {
    // >  to=user<|message|>Noon.
    //    ^
    first: { kind: 'head', transitions: HEAD_ENDS },
    // > <|eom|><|start|>assistant to=user<|message|>
    //                   ^                              the role is part of the head
    head: { kind: 'head', transitions: HEAD_ENDS },
    // >  to=self<|message|>Hm.<|eom|>
    //                      ^
    thought: { kind: 'reasoning', transitions: ENDS },
    // >  to=user<|message|>Noon.
    //                      ^
    text: { kind: 'text', transitions: ENDS },
    // >  to=user to=f<|message|>Hm.<|start|>
    //                           ^            no head: all is text up to the next message
    unreadable: { kind: 'text', transitions: { ...ENDS, [START]: 'head' } },
    // >  to=f<|message|><atem:function_calls>\n</atem:function_calls><|eom|>
    //                   ^                                            ^
    message: { kind: 'nothing', transitions: { '<atem:function_calls>': 'calls', [NEXT]: 'between' } },
    // >  to=f<|message|><atem:function_calls>\n<atem:invoke name="f">\n</atem:invoke>\n</atem:function_calls>
    //                                        ^                                       ^
    calls: {
      kind: 'nothing',
      mayBeTruncated: true,
      transitions: { [INVOKE]: { to: 'name', opens: true }, [CLOSE]: 'message' },
    },
    // >  to=f<|message|><atem:function_calls><atem:invoke name="f">\n</atem:invoke></atem:function_calls>
    //                                                           ^
    name: { kind: 'name', transitions: { '">': 'body', [INVOKE]: { to: 'name', opens: true } } },
    // >  to=f<|message|><atem:function_calls><atem:invoke name="f">\n</atem:invoke></atem:function_calls>
    //                                                              ^
    body: {
      kind: 'nothing',
      transitions: {
        '<atem:parameter name="': 'key',
        '</atem:invoke>': { to: 'calls', closes: true },
        [CLOSE]: { to: 'message', closes: true },
      },
    },
    // >  to=f<|message|><atem:function_calls><atem:invoke name="f"><atem:parameter name="k">v</atem:parameter>
    //                                                                                    ^
    key: { kind: 'key', transitions: { '">': 'value' } },
    // >  to=f<|message|><atem:function_calls><atem:invoke name="f"><atem:parameter name="k">v</atem:parameter>
    //                                                                                       ^
    value: {
      kind: 'value',
      nextKey: /^<atem:parameter name="([^"\n]{1,200})">/gm,
      transitions: { '</atem:parameter>': 'body' },
    },
    // > <|eom|><|start|>user<|message|>Hi.<|eom|>
    //                                  ^          what others say is no part of the reply
    foreign: { kind: 'nothing', transitions: ENDS },
    // >  to=self<|message|>Hm.<|eom|><|start|>assistant to=user<|message|>Noon.
    //                                ^
    between: { kind: 'nothing', transitions: { [START]: 'head' } },
  },
  readHead,
  // Nothing of a value belongs to the format; history prints JSON.
  typeValue: typeValueBySchema({ lineFeeds: 0, pythonWords: false }),
}

/**
 * What a head says: its role and its recipient. A message without a recipient is for the user.
 *
 *   >  to=self<|message|>
 *                        ^   a thought
 *   >  to=clock<|message|>
 *                         ^  calls, whose names are in them
 */
function readHead(text: string, { state, marker }: HeadPlace): ReadHead | null {
  const isFirst = state === 'first'
  const words = text.split(SPACE).filter((word) => word !== '')
  if (marker === '') return isFirst && !CUT_HEAD.test(words.join(' ')) ? endOfReply(text) : null
  const role = isFirst && words[0] !== 'assistant' ? 'assistant' : words.shift()
  const [recipient = 'to=user', ...others] = words
  if (marker !== MESSAGE || others.length > 0 || !/^to=[^<]/.test(recipient)) return unreadable(text, marker)
  if (role !== 'assistant') return { to: 'foreign' }
  return { to: RECIPIENTS.get(recipient) ?? 'message' }
}

const SPACE = /[ \t\n\f\r]+/

/** The beginning of a head, its words parted by single blanks: a pattern for white space would take quadratic time. */
const CUT_HEAD = /^(?:assistant ?)?(?:t|to|to=[^ ]*)?$/

/** States of the recipients that are not tools. */
const RECIPIENTS: ReadonlyMap<string, string> = new Map([
  ['to=self', 'thought'],
  ['to=user', 'text'],
])

/** A reply without tokens has lost them on its way. */
function endOfReply(text: string): ReadHead {
  return { to: 'between', texts: [text], issue: 'markers-missing' }
}

/** Never a call: its words are text. */
function unreadable(text: string, marker: string): ReadHead {
  return { to: marker === START ? 'head' : 'unreadable', texts: [text], issue: 'head-not-readable' }
}

/** A call without its message: a text as it is, everything else as JSON. */
export function callText(name: string, given: PyDict): string {
  const parameters = [...given].map(
    ([key, value]) => `<atem:parameter name="${key}">${valueText(value)}</atem:parameter>\n`,
  )
  return `<atem:function_calls>\n${INVOKE}${name}">\n${parameters.join('')}</atem:invoke>\n${CLOSE}`
}

function valueText(value: PyValue): string {
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'string' ? str(value) : dumps(value)
}

/** The text of a reply, after `<|start|>assistant`: a message for each item. The last end is left out, as servers do, unless it ends a thought. */
export function write(items: readonly ReplyItem[]): string {
  const messages = items.flatMap((item) => {
    if (item.kind === 'issue') return []
    if (item.kind === 'call')
      return [` to=${recipientOf(item.name)}${MESSAGE}${callText(item.name, callArguments(item))}`]
    return [` to=${item.kind === 'reasoning' ? 'self' : 'user'}${MESSAGE}${item.text}`]
  })
  const whole = messages.join(`${NEXT}${START}assistant`)
  return items.findLast(({ kind }) => kind !== 'issue')?.kind === 'reasoning' ? whole + NEXT : whole
}

/** The name of the tool, unless it would be read as something else: the call has its own. */
function recipientOf(name: string): string {
  return /^[^ \t\n\f\r<]+$/.test(name) && !RECIPIENTS.has(`to=${name}`) ? name : 'tool'
}
