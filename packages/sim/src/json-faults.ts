import { pick } from './draw.ts'
import type { Fault, FaultyTurn, FaultyReply } from './fault.ts'
import { everywhere, inText, TEXT_FORMATS, expecting, stoppedText, withLastCall } from './fault.ts'
import { SPOKEN } from './spoken-formats.ts'
import { callText, jsonText, nousBody, nousCall, pythonText } from './render.ts'
import { speakerOf } from './speak/speakers.ts'

export const JSON_FAULTS: readonly Fault[] = [
  {
    id: 'F03',
    name: 'py_literals',
    kind: 'syntax',
    looks: 'Python instead of JSON: single quotes, True, None',
    expect: inText('malformed', 'recovered'),
    inject: pythonLiterals,
  },
  {
    id: 'F04',
    name: 'trailing_comma',
    kind: 'syntax',
    looks: '{"a": 1,}',
    expect: everywhere('malformed', 'recovered'),
    inject: (turn) => insideArguments(turn, (members) => `${members},`),
  },
  {
    id: 'F05',
    name: 'json_comment',
    kind: 'syntax',
    looks: 'a // comment after the last argument',
    expect: inText('malformed', 'recovered'),
    inject: (turn) => insideArguments(turn, (members) => `${members} // as asked\n`),
  },
  {
    id: 'F06',
    name: 'unescaped_newline',
    kind: 'syntax',
    looks: 'a line break inside a string',
    expect: inText('malformed', 'recovered', 'parser'),
    inject: (turn) =>
      insideArguments(turn, (members) => (members.includes('\\n') ? members.replaceAll('\\n', () => '\n') : null)),
  },
  {
    id: 'F07',
    name: 'unescaped_quote',
    kind: 'syntax',
    looks: 'a quote inside a string: "P"aris"',
    // It is unknown which quote was meant, and readers must not guess.
    expect: inText('malformed', 'malformed'),
    inject: (turn) => insideArguments(turn, quoteInside),
  },
  {
    id: 'F08',
    name: 'brace_missing',
    kind: 'syntax',
    looks: 'the last } is missing, or there is one too many',
    expect: everywhere('malformed', 'recovered', 'parser'),
    inject: (turn) => withLastBody(turn, (body) => (turn.chance('brace') < 0.5 ? body.slice(0, -1) : `${body}}`)),
  },
  {
    id: 'F09',
    name: 'nan_none',
    kind: 'syntax',
    looks: 'NaN, Infinity or undefined where a text belongs',
    expect: inText('malformed', 'bad_args_schema'),
    inject: notANumber,
  },
  {
    id: 'F10',
    name: 'fullwidth_punct',
    kind: 'syntax',
    looks: 'full-width punctuation: {“city”：“北京”}',
    expect: expecting(TEXT_FORMATS, {
      strict: 'malformed',
      lenient: 'recovered',
      end: null,
      blames: 'parser',
      flags: ['fullwidth_punct'],
    }),
    inject: (turn) => insideArguments(turn, fullWidth),
  },
  {
    id: 'F11',
    name: 'code_fence',
    kind: 'syntax',
    looks: 'a ```json fence round the JSON',
    // If the fence encloses the name, too, no host removes it.
    expect: {
      ...inText('malformed', 'recovered'),
      [SPOKEN.tagged]: { strict: 'malformed', lenient: 'recovered', end: null, blames: 'parser' },
    },
    inject: (turn) => withLastBody(turn, (body) => `\`\`\`json\n${body}\n\`\`\``),
  },
  {
    id: 'F40',
    name: 'bom_zwsp',
    kind: 'syntax',
    looks: 'a byte order mark or a zero-width space in the JSON, CRLF line ends',
    expect: expecting(TEXT_FORMATS, {
      strict: 'malformed',
      lenient: 'recovered',
      end: null,
      // Every reader treats line ends as white space.
      variants: { crlf: { strict: 'well_formed', lenient: 'well_formed' }, zwsp: { blames: 'parser' } },
    }),
    inject: invisible,
  },
]

/** The whole call is Python if its wrapper is JSON, too; otherwise only the arguments. */
function pythonLiterals(turn: FaultyTurn): FaultyReply | null {
  const last = turn.calls.at(-1)
  if (last === undefined) return null
  if (!speakerOf(turn.format).wrapsName) {
    return Object.keys(last.args).length === 0
      ? null
      : withLastCall(turn, () => ({ name: last.name, arguments: pythonText(last.args) }))
  }
  return withLastBody(turn, () => pythonText({ name: last.name, arguments: last.args }))
}

/** Changes the text between the outer braces of the arguments, if they have any. */
function insideArguments(turn: FaultyTurn, change: (members: string) => string | null): FaultyReply | null {
  return withLastCall(turn, (call) => {
    const members = jsonText(call.args).slice(1, -1)
    const changed = members === '' ? null : change(members)
    return changed === null ? null : { name: call.name, arguments: `{${changed}}` }
  })
}

/** Changes the JSON of the last call: the whole object if the name is part of it, otherwise the arguments. */
function withLastBody(turn: FaultyTurn, change: (body: string) => string): FaultyReply | null {
  if (!speakerOf(turn.format).wrapsName) {
    return withLastCall(turn, (call) => ({ name: call.name, arguments: change(jsonText(call.args)) }))
  }
  const last = turn.calls.at(-1)
  if (last === undefined) return null
  const before = turn.calls.slice(0, -1).map((call) => nousCall(callText(call)))
  const body = change(nousBody(callText(last)))
  return stoppedText([...before, `<tool_call>\n${body}\n</tool_call>`].join('\n'))
}

/** A quote after the first character of the first string value. */
function quoteInside(members: string): string | null {
  const value = /": "(?=[^"\\]{2})/.exec(members)
  if (value === null) return null
  const at = value.index + value[0].length + 1
  return `${members.slice(0, at)}"${members.slice(at)}`
}

/** Never for a number: some readers accept NaN and Infinity as numbers, so it would not be a fault. */
function notANumber(turn: FaultyTurn): FaultyReply | null {
  return withLastCall(turn, ({ name, args }) => {
    const keys = Object.entries(args).flatMap(([key, value]) => (typeof value === 'number' ? [] : [key]))
    const target = pick(keys, turn.chance('argument'))
    const word = pick(['NaN', 'Infinity', 'undefined'], turn.chance('word')) ?? ''
    const members = Object.entries(args).map(
      ([key, value]) => `${JSON.stringify(key)}: ${key === target ? word : jsonText(value)}`,
    )
    return target === null ? null : { name, arguments: `{${members.join(', ')}}` }
  })
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

function invisible(turn: FaultyTurn): FaultyReply | null {
  const inside = (variant: string, character: string): FaultyReply | null => {
    const injected = insideArguments(turn, (members) => `${character}${members}`)
    return injected === null ? null : { ...injected, variant }
  }
  const text = speakerOf(turn.format).calls(turn.calls.map(callText), turn.part).text
  const variants = [
    inside('bom', '\ufeff'),
    inside('zwsp', '\u200b'),
    text.includes('\n') ? { ...stoppedText(text.replaceAll('\n', () => '\r\n')), variant: 'crlf' } : null,
  ]
  return pick(
    variants.filter((variant) => variant !== null),
    turn.chance('sign'),
  )
}
