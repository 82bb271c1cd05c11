import type { LawId } from '../../src/index.ts'
import type { Patch } from './mutant.ts'

/** A plausible mistake in our parser, and the law that finds it. */
export interface Defect extends Patch {
  /** The row of the list of real problems that it stands for. */
  readonly row: number
  readonly law: LawId
  readonly about: string
  readonly format: 'nous' | 'qwen' | 'react'
  readonly profile: string
}

const NOUS = { format: 'nous', profile: 'main' } as const
const QWEN = { format: 'qwen', profile: 'v0.0.26' } as const
const REACT = { format: 'react', profile: 'main' } as const
const NOUS_STRICT = { format: 'nous', profile: 'strict' } as const
const QWEN_STRICT = { format: 'qwen', profile: 'strict' } as const

/** At least one for each row that a parser can get wrong: 1 to 11, 22 to 30. */
export const DEFECTS: readonly Defect[] = [
  {
    ...{
      ...NOUS_STRICT,
      row: 1,
      law: 'split-invariance',
      about: 'a marker is missed when a chunk ends one character before its end',
    },
    file: 'core/src/grammar/marker-scanner.ts',
    find: 'if (text.length - at >= longest) return null',
    replace: 'if (text.length - at >= longest - 1) return null',
  },
  {
    ...{
      ...NOUS_STRICT,
      row: 2,
      law: 'mode-parity',
      about: 'a snapshot does not report a call of which only the tag came',
    },
    file: 'core/src/reply/event.ts',
    find: '      for (const event of ahead) takeEvent(copy, event)\n',
    replace:
      "      for (const event of ahead) if (ahead.length > 1 || event.kind !== 'issue') takeEvent(copy, event)\n",
  },
  {
    ...{ ...QWEN_STRICT, row: 3, law: 'json-closure', about: 'a delta of one character but a brace is empty' },
    file: 'core/src/reply/reply-deltas.ts',
    find: 'function: { arguments: event.text }',
    replace: "function: { arguments: event.text.length === 1 && event.text !== '}' ? '' : event.text }",
  },
  {
    ...{
      ...QWEN_STRICT,
      row: 4,
      law: 'json-closure',
      about: 'the closing brace is not sent when the arguments came in pieces',
    },
    file: 'core/src/reply/reply-deltas.ts',
    find: 'function: { arguments: event.text }',
    replace: "function: { arguments: event.text === '}' ? '' : event.text }",
  },
  {
    ...{ ...QWEN_STRICT, row: 5, law: 'empty-arguments', about: 'a call with {} disappears when it came in pieces' },
    file: 'core/src/reply/event.ts',
    find: '    take: (events) => {\n',
    replace: "    take: (events) => {\n      if (state.call?.text === '{' && events.length === 2) state.call = null\n",
  },
  {
    ...{ ...NOUS, row: 6, law: 'index-identity', about: 'a call that is not closed swallows the next one' },
    file: 'core/src/formats/nous/parse.ts',
    find: '    const next = text.indexOf(TOOL_CALL_OPEN, open + TOOL_CALL_OPEN.length)\n',
    replace:
      '    const next = text.indexOf(TOOL_CALL_OPEN, Math.max(open + TOOL_CALL_OPEN.length, text.indexOf(TOOL_CALL_CLOSE, open)))\n',
  },
  {
    ...{ ...NOUS, row: 7, law: 'no-marker-leak', about: 'the tag of an empty call becomes prose' },
    file: 'core/src/formats/nous/parse.ts',
    find: "    reader.note?.('call-not-closed', { start: open, end })\n    return\n",
    replace:
      "    reader.note?.('call-not-closed', { start: open, end })\n    reader.kept.push({ text: TOOL_CALL_OPEN })\n    return\n",
  },
  {
    ...{
      ...NOUS,
      row: 8,
      law: 'think-isolation',
      about: 'a version that sees thoughts itself does not listen when told of one',
    },
    file: 'core/src/formats/nous/parse.ts',
    find: '    isThinking: profile.nousThoughtInContent &&',
    replace: '    isThinking: !profile.nousDetectsThink && profile.nousThoughtInContent &&',
  },
  {
    ...{ ...NOUS, row: 9, law: 'content-conservation', about: 'a short text behind a call is dropped in silence' },
    file: 'core/src/formats/nous/parse.ts',
    find: '  if (!hasNonSpace(text, tail)) return\n',
    replace: '  if (!hasNonSpace(text, tail) || tail.end - tail.start < 6) return\n',
  },
  {
    ...{ ...NOUS, row: 10, law: 'totality', about: 'a number as the body of a call throws' },
    file: 'core/src/formats/nous/read-call.ts',
    find: "  throw new Raise('TypeError', `argument of type",
    replace: '  throw new TypeError(`argument of type',
  },
  {
    ...{ ...NOUS, row: 11, law: 'truncation-honesty', about: 'a call is taken for closed when its JSON is' },
    file: 'core/src/formats/nous/parse.ts',
    find: "  reader.note?.('call-not-closed', { start: open, end })\n  const { nousPartialCall }",
    replace:
      "  if (!body.endsWith('}}')) reader.note?.('call-not-closed', { start: open, end })\n  const { nousPartialCall }",
  },
  {
    ...{ ...NOUS, row: 22, law: 'value-typing', about: 'an integer of more than 20 digits goes through a float' },
    file: 'python/src/respell.ts',
    find: '      return numberEnd(walk.text, at)\n',
    replace:
      '      if (numberEnd(walk.text, at) - at > 20) {\n' +
      '        walk.copied += walk.text.slice(walk.from, at) + Number(walk.text.slice(at, numberEnd(walk.text, at)))\n' +
      '        walk.from = numberEnd(walk.text, at)\n' +
      '      }\n' +
      '      return numberEnd(walk.text, at)\n',
  },
  {
    ...{
      ...NOUS_STRICT,
      row: 23,
      law: 'mode-parity',
      about: 'a stream drops calls of tools with a hyphen in their names',
    },
    file: 'core/src/reply/event.ts',
    find: '      for (const event of events) takeEvent(state, event)\n    },',
    replace:
      "      for (const event of events) if (event.kind !== 'call' || !event.name.includes('-')) takeEvent(state, event)\n    },",
  },
  {
    ...{
      ...NOUS_STRICT,
      row: 24,
      law: 'utf-integrity',
      about: 'a delta ends where the chunk does, inside a pair of surrogates too',
    },
    file: 'python/src/text.ts',
    find: '(text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end',
    replace: '(text.charCodeAt(end - 1) & 0xfc00) === 0xffff ? end - 1 : end',
  },
  {
    ...{ ...REACT, row: 25, law: 'stop-residue', about: 'half a stop word is removed at the start of a line only' },
    file: 'core/src/stop-words.ts',
    find: 'partials.filter((partial) => text.endsWith(partial))',
    replace: 'partials.filter((partial) => text.endsWith(`\\n${partial}`))',
  },
  {
    ...{
      ...REACT,
      row: 26,
      law: 'stop-residue',
      about: 'a short result that the model made up becomes part of the arguments',
    },
    file: 'core/src/formats/react/parse.ts',
    find: 'observation < input ? null : observation',
    replace: 'observation < input || text.length - observation < 40 ? null : observation',
  },
  {
    ...{ ...QWEN, row: 27, law: 'agreement', about: 'without ✿ARGS✿ the name ends with its line' },
    file: 'core/src/formats/qwen/parse.ts',
    find: '  const name = cleanSpan(text, stripSpan(text, call.name), note)\n',
    replace:
      '  const whole = cleanSpan(text, stripSpan(text, call.name), note)\n' +
      "  const line = text.slice(whole.start, whole.end).split('\\n', 1).join()\n" +
      '  const name = { start: whole.start, end: whole.start + line.length }\n',
  },
  {
    ...{ ...NOUS, row: 28, law: 'round-trip', about: 'a call is written into the message of a user who quotes a call' },
    file: 'core/src/formats/nous/render.ts',
    find: "  if (previous?.message.role !== 'assistant') {\n",
    replace:
      '  const isQuoted = previous?.items.some(({ text }) => text?.includes(TOOL_CALL_CLOSE))\n' +
      "  if (previous?.message.role !== 'assistant' && !isQuoted) {\n",
  },
  {
    ...{
      ...NOUS,
      row: 29,
      law: 'content-conservation',
      about: 'what follows a closing tag inside a value is dropped in silence',
    },
    file: 'core/src/formats/nous/parse.ts',
    find: '  if (!hasNonSpace(text, tail)) return\n',
    replace: "  if (!hasNonSpace(text, tail) || slice(text, tail).includes('}}')) return\n",
  },
  {
    ...{ ...NOUS_STRICT, row: 30, law: 'linear-work', about: 'a snapshot looks at the whole text again' },
    file: 'core/src/grammar/reader.ts',
    find: '      readAsEnded(reading)\n',
    replace: '      readAsEnded(reading)\n      reading.context.examined(reading.input.base)\n',
  },
  {
    ...{
      ...NOUS_STRICT,
      row: 34,
      law: 'deterministic',
      about: 'a later chunk adds to the messages of an answer that was given',
    },
    file: 'core/src/reply/event.ts',
    find: 'const copy: FoldState = { items: [...items],',
    replace: 'const copy: FoldState = { items,',
  },
]
