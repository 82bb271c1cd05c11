import { everywhere, withLastCall, withText } from './fault.ts'
import type { Expectation, Fault, FaultyTurn, SpoiltReply } from './fault.ts'
import { callText, jsonText, nousBody, nousCall, pythonText } from './render.ts'
import { SPEAKERS } from './speakers.ts'

const REPAIRABLE: Expectation = { strict: 'malformed', lenient: 'recovered', end: null }

/** Faults in how a call is written down: its tags, its JSON. */
export const SYNTAX_FAULTS: readonly Fault[] = [
  {
    id: 'F01',
    name: 'drop_close',
    looks: 'the last </tool_call> is missing',
    expect: { 'fncall-nous': REPAIRABLE },
    spoil: (turn) => withText(turn, (text) => text.slice(0, -'\n</tool_call>'.length)),
  },
  {
    id: 'F02',
    name: 'partial_close',
    looks: 'the last tag ends as </tool_cal',
    expect: { 'fncall-nous': REPAIRABLE },
    spoil: (turn) => withText(turn, (text) => text.slice(0, -'l>'.length)),
  },
  {
    id: 'F03',
    name: 'py_literals',
    looks: 'Python instead of JSON: single quotes, True, None',
    expect: everywhere('malformed', 'recovered'),
    spoil: pythonLiterals,
  },
  {
    id: 'F04',
    name: 'trailing_comma',
    looks: '{"a": 1,}',
    expect: everywhere('malformed', 'recovered'),
    spoil: (turn) => insideArguments(turn, (members) => `${members},`),
  },
  {
    id: 'F05',
    name: 'json_comment',
    looks: 'a // comment after the last argument',
    expect: everywhere('malformed', 'recovered'),
    spoil: (turn) => insideArguments(turn, (members) => `${members} // as asked\n`),
  },
  {
    id: 'F06',
    name: 'unescaped_newline',
    looks: 'a line break inside a string',
    expect: everywhere('malformed', 'recovered'),
    spoil: (turn) =>
      insideArguments(turn, (members) => (members.includes('\\n') ? members.replaceAll('\\n', () => '\n') : null)),
  },
  {
    id: 'F07',
    name: 'unescaped_quote',
    looks: 'a quote inside a string: "P"aris"',
    expect: everywhere('malformed', 'malformed'),
    spoil: (turn) => insideArguments(turn, quoteInside),
  },
  {
    id: 'F08',
    name: 'brace_missing',
    looks: 'the last } is missing',
    expect: everywhere('malformed', 'recovered'),
    spoil: (turn) => withLastBody(turn, (body) => body.slice(0, -1)),
  },
  {
    id: 'F10',
    name: 'fullwidth_punct',
    looks: 'full-width punctuation: {“city”：“北京”}',
    expect: everywhere('malformed', 'recovered'),
    spoil: (turn) => insideArguments(turn, fullWidth),
  },
  {
    id: 'F11',
    name: 'code_fence',
    looks: 'a ```json fence round the JSON',
    expect: everywhere('malformed', 'recovered'),
    spoil: (turn) => withLastBody(turn, (body) => `\`\`\`json\n${body}\n\`\`\``),
  },
  {
    id: 'F14',
    name: 'no_newline_action',
    looks: 'Action: on the line of the thought',
    expect: { react: { strict: 'no_tool_text', lenient: 'recovered', end: 'parse_dead_end' } },
    spoil: (turn) => withText(turn, (text) => text.replace('\nAction: ', () => ' Action: ')),
  },
  {
    id: 'F15',
    name: 'case_drift',
    looks: 'action: and action input: in small letters',
    expect: { react: { strict: 'no_tool_text', lenient: 'recovered', end: 'parse_dead_end' } },
    spoil: (turn) =>
      withText(turn, (text) =>
        text.replace('\nAction: ', () => '\naction: ').replace('\nAction Input: ', () => '\naction input: '),
      ),
  },
  {
    id: 'F16',
    name: 'localised_keyword',
    looks: '动作： instead of Action:',
    expect: { react: { strict: 'no_tool_text', lenient: 'recovered', end: 'parse_dead_end' } },
    spoil: (turn) =>
      withText(turn, (text) =>
        text.replace('\nAction: ', () => '\n动作：').replace('\nAction Input: ', () => '\n动作输入：'),
      ),
  },
]

/** The whole call is Python in nous, where even the wrapper is JSON; elsewhere only the arguments are. */
function pythonLiterals(turn: FaultyTurn): SpoiltReply | null {
  const last = turn.calls.at(-1)
  if (last === undefined) return null
  if (!SPEAKERS[turn.protocol].wrapsName) {
    return Object.keys(last.args).length === 0
      ? null
      : withLastCall(turn, () => ({ name: last.name, arguments: pythonText(last.args) }))
  }
  return withLastBody(turn, () => pythonText({ name: last.name, arguments: last.args }))
}

/** Changes the text between the outer braces of the arguments; nothing to change when there are none. */
function insideArguments(turn: FaultyTurn, change: (members: string) => string | null): SpoiltReply | null {
  return withLastCall(turn, (call) => {
    const members = jsonText(call.args).slice(1, -1)
    const changed = members === '' ? null : change(members)
    return changed === null ? null : { name: call.name, arguments: `{${changed}}` }
  })
}

/** Changes the JSON that the last call consists of: the whole object in nous, the arguments elsewhere. */
function withLastBody(turn: FaultyTurn, change: (body: string) => string): SpoiltReply | null {
  if (!SPEAKERS[turn.protocol].wrapsName) {
    return withLastCall(turn, (call) => ({ name: call.name, arguments: change(jsonText(call.args)) }))
  }
  const last = turn.calls.at(-1)
  if (last === undefined) return null
  const before = turn.calls.slice(0, -1).map((call) => nousCall(callText(call)))
  const body = change(nousBody(callText(last)))
  return { text: [...before, `<tool_call>\n${body}\n</tool_call>`].join('\n'), finishReason: 'stop' }
}

/** A quote after the first character of the first string value. Nobody can know which quote was meant. */
function quoteInside(members: string): string | null {
  const value = /": "(?=[^"\\]{2})/.exec(members)
  if (value === null) return null
  const at = value.index + value[0].length + 1
  return `${members.slice(0, at)}"${members.slice(at)}`
}

function fullWidth(members: string): string {
  let open = false
  return members
    .replaceAll(/(?<!\\)"/g, () => {
      open = !open
      return open ? '“' : '”'
    })
    .replaceAll('”: ', () => '”：')
    .replaceAll('”, “', () => '”，“')
}
