import { standardKind } from '@callspec/python'
import type { CallItem, ReplyItem } from '../../reply/item.ts'
import { CALL, CHANNEL, CONSTRAIN, END, FUNCTIONS, MESSAGE, START } from './tokens.ts'

/** One message: head, content, and the token that ends it. */
interface Written {
  readonly text: string
  readonly end: string
}

/**
 * The text of a reply, behind `<|start|>assistant`. The last end token is left out, as servers leave it out, unless only it
 * says that a thought or a call is complete.
 */
export function write(items: readonly ReplyItem[]): string {
  const lastCall = items.findLastIndex(({ kind }) => kind === 'call')
  const messages = items.flatMap((item, at): readonly Written[] => {
    if (item.kind === 'issue') return []
    if (item.kind === 'call') return [{ text: callHead(item) + MESSAGE + item.arguments, end: CALL }]
    const usual = item.kind === 'reasoning' ? 'analysis' : at < lastCall ? 'commentary' : 'final'
    return [{ text: CHANNEL + (item.channel ?? usual) + MESSAGE + item.text, end: END }]
  })
  const whole = messages.map(({ text, end }) => text + end).join(`${START}assistant`)
  const last = items.findLast(({ kind }) => kind !== 'issue')
  if (last === undefined || last.kind === 'reasoning') return whole
  if (last.kind === 'call' && standardKind(last.arguments) === 'none') return whole
  return whole.slice(0, whole.length - (messages.at(-1)?.end.length ?? 0))
}

function callHead({ name, isFree }: CallItem): string {
  const recipient = BUILT_IN.test(name) ? name : FUNCTIONS + name
  const channel = BUILT_IN.test(name) ? 'analysis' : 'commentary'
  return `${CHANNEL}${channel} to=${recipient} ${isFree === true ? 'code' : `${CONSTRAIN}json`}`
}

/** Tools of the maker, which are no functions of the request. */
const BUILT_IN = /^(?:python$|browser\.|container\.)/
