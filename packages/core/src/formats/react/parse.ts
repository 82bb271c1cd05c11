import type { ParseOptions } from '../../format.ts'
import type { Message } from '../../messages/message.ts'
import { jsonKind } from '@callspec/python'
import type { Reply } from '../reply.ts'
import { hasNonSpace, slice, stripSpan } from '../span.ts'
import type { Span } from '../span.ts'
import { findAction } from './detect-tool.ts'
import type { ActionMarkers } from './detect-tool.ts'
import { ACTION, ACTION_INPUT } from './tokens.ts'

/** The thought, and the call if there is an action. What follows an observation that the model wrote is dropped. */
export function readReact({ text, note }: Reply, options: ParseOptions): readonly Message[] {
  const markers = findAction(text)
  if (markers === null) {
    noteMissedCall(text, note)
    return [{ role: 'assistant', content: text }]
  }
  const { name, input } = spansOf(text, markers)
  const call = { name: slice(text, name), arguments: slice(text, input) }
  if (call.name === '') note('empty-name', { start: markers.action, end: markers.action + ACTION.length })
  if (call.arguments === '')
    note('call-without-arguments', { start: markers.input, end: markers.input + ACTION_INPUT.length })
  else if (options.rawArguments !== true && !isCode(call.arguments)) {
    const kind = jsonKind(call.arguments)
    if (kind !== 'object') note(kind === 'none' ? 'arguments-not-json' : 'arguments-not-object', input)
  }
  const rest = { start: markers.observation ?? text.length, end: text.length }
  if (hasNonSpace(text, rest)) note('text-after-call-dropped', stripSpan(text, rest))
  const thought = text.slice(0, markers.action)
  const message: Message = { role: 'assistant', content: '', function_call: call }
  return thought === '' ? [message] : [{ role: 'assistant', content: thought }, message]
}

function spansOf(
  text: string,
  { action, input, observation }: ActionMarkers,
): { readonly name: Span; readonly input: Span } {
  return {
    name: stripSpan(text, { start: action + ACTION.length, end: input }),
    input: stripSpan(text, { start: input + ACTION_INPUT.length, end: observation ?? text.length }),
  }
}

/** Whether arguments are a code block. That is how agents hand over code, so it counts as well-formed. */
export function isCode(text: string): boolean {
  return text.startsWith('```')
}

/** Says why a text that looks like a call is none. */
function noteMissedCall(text: string, note: Reply['note']): void {
  const bare = ACTION.slice(1)
  if (text.startsWith(bare) && text.includes(ACTION_INPUT)) note('call-at-start', { start: 0, end: bare.length })
  const action = text.indexOf(ACTION)
  if (action >= 0) note('call-not-closed', { start: action, end: text.length })
}
