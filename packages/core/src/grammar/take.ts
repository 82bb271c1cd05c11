import { unreachable } from '@callspec/python'
import { AFTER_STOP } from './compile.ts'
import { takeDraft } from './draft.ts'
import { afterSpace, beforeSpace } from './edges.ts'
import { grammarIssue } from './issues.ts'
import { headOf, pass, tell } from './reading.ts'
import type { Reading } from './reading.ts'
import { takeJson, takeText } from './text.ts'

/** Takes the text up to `end` as what the present state says it is. */
export function take(reading: Reading, end: number): void {
  const { text, at, state } = reading
  if (end === at) return
  switch (state.kind) {
    // > Let me look.<tool_call>
    //               ^             handed on
    case 'text':
      if (reading.fence !== null) reading.gathered += text.slice(at, end)
      takeText(reading, end)
      break
    // > <think>Maybe <tool_call>
    //                           ^   may turn out to be a call, should the thought never be closed
    case 'reasoning':
      if (reading.draft === null) takeText(reading, end)
      else takeDraft(reading, end)
      break
    // > [ARGS]{"a": 1}
    //                ^   handed on, too
    case 'json':
      takeJson(reading, end)
      break
    // > <tool_call>Sure!<function=f>
    //                   ^              belongs nowhere
    case 'nothing':
      takeStray(reading, end)
      break
    // > <function=get_weather>
    //                    ^       means nothing before its end
    case 'head':
    case 'name':
    case 'id':
    case 'key':
      reading.gathered += text.slice(at, end)
      break
    // > <parameter=k>v</function></tool_call>
    //                                        ^   snapshots go on with the call that ends here
    case 'value':
      takeValue(reading, text.slice(at, end))
      break
    // > functools[{"name": "f", "arguments": {}}]
    //                           ^                   read once all of it has come
    case 'calls':
      takeBody(reading, text.slice(at, end))
      break
    default:
      unreachable(state.kind)
  }
  pass(reading, end)
}

/** What cannot be read is dropped, not gathered; what snapshots have read as text goes on with what comes. */
function takeBody(reading: Reading, text: string): void {
  const { phase, asText } = reading
  if (phase !== 'unreadable') reading.gathered += text
  if (asText !== null) asText.text += text
}

function takeValue(reading: Reading, text: string): void {
  const { asText } = reading
  reading.gathered += text
  if (asText !== null) asText.text += text
}

/**
 * Text that does not belong where it stands is gathered, and said once it has ended.
 *
 *   > </function> Sure! </tool_call>
 *                 ^    ^               its extent: white space around it is nothing that was dropped
 */
function takeStray(reading: Reading, end: number): void {
  const { text, at, base, late } = reading
  if (late !== null) reading.gathered += text.slice(at, end)
  const start = afterSpace(text, at, end)
  if (start === end) return
  reading.stray ??= { anchor: { start: base + start, head: '' }, end: 0 }
  reading.stray.end = base + beforeSpace(text, end, start)
}

/**
 * Says what text was dropped in the present state.
 *
 *   > <tool_call>Sure!<function=f>
 *                     ^              said at the marker
 *   > Noon.<|im_end|>more
 *                        ^   said at the end of the reply: behind a stop token it has a code of its own
 */
export function endStray(reading: Reading): void {
  const { stray, state } = reading
  if (stray === null) return
  const { anchor, end } = stray
  const code = state.name === AFTER_STOP ? 'text-after-stop' : 'text-dropped'
  const head = headOf(reading, anchor).slice(0, end - anchor.start)
  tell(reading, grammarIssue(code, { start: anchor.start, end, head }))
  reading.stray = null
}
