/** What the formats are measured against: the least work that gives the same calls, for well-formed text only. */

export interface BareCall {
  readonly name: string
  readonly arguments: unknown
}

/** nous: `indexOf` for the tags, `JSON.parse` for the bodies. Stops short of turning arguments back into text. */
export function bareNous(text: string): readonly BareCall[] {
  const calls: BareCall[] = []
  for (let open = text.indexOf('<tool_call>'); open >= 0;) {
    const close = text.indexOf('</tool_call>', open)
    calls.push(JSON.parse(text.slice(open + '<tool_call>'.length, close)) as BareCall)
    open = text.indexOf('<tool_call>', close)
  }
  return calls
}

/** ✿: `indexOf` for the markers, `slice` for name and arguments, which stay text. */
export function bareQwen(text: string): readonly BareCall[] {
  const calls: BareCall[] = []
  for (let open = text.indexOf('✿FUNCTION✿:'); open >= 0;) {
    const middle = text.indexOf('✿ARGS✿:', open)
    const next = text.indexOf('✿FUNCTION✿:', middle)
    const end = next < 0 ? text.length : next
    calls.push({ name: text.slice(open + 11, middle).trim(), arguments: text.slice(middle + 7, end).trim() })
    open = next
  }
  return calls
}

/** ReAct: three times `lastIndexOf`, as a port of the reference would have it. */
export function bareReact(text: string): BareCall {
  const action = text.lastIndexOf('\nAction:')
  const input = text.lastIndexOf('\nAction Input:')
  const end = text.lastIndexOf('\nObservation:')
  return { name: text.slice(action + 8, input).trim(), arguments: text.slice(input + 14, end).trim() }
}
