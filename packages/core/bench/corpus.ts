import { dumps, toPlain } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** The texts that speed is measured on: one fifth prose, four fifths calls with nested arguments, all well-formed. */

export type Language = 'en' | 'zh'

export interface Cell {
  readonly language: Language
  /** Size in UTF-8 bytes, within a few percent. */
  readonly bytes: number
  readonly calls: number
}

const SIZES: readonly (readonly [bytes: number, calls: number])[] = [
  [1024, 1],
  [1024, 5],
  [65_536, 1],
  [65_536, 10],
  [65_536, 100],
  [1_048_576, 1],
  [1_048_576, 10],
  [1_048_576, 100],
  [1_048_576, 1000],
]

/** Every size with every number of calls, in both languages. */
export const CELLS: readonly Cell[] = (['en', 'zh'] as const).flatMap((language) =>
  SIZES.map(([bytes, calls]) => ({ language, bytes, calls })),
)

export function cellName({ language, bytes, calls }: Cell): string {
  return `${language}-${bytes}-${calls}`
}

/** A reply in the nous format, spelled as Python spells JSON. */
export function nousText(cell: Cell): string {
  return reply(cell, (name, args) => nousCall(dumps(callDict(name, args))))
}

/** A reply in the nous format without a space between tokens, as `JSON.stringify` spells it. */
export function compactNousText(cell: Cell): string {
  return reply(cell, (name, args) => nousCall(JSON.stringify(toPlain(callDict(name, args)))))
}

function nousCall(body: string): string {
  return `<tool_call>\n${body}\n</tool_call>\n`
}

function callDict(name: string, args: PyValue): PyDict {
  return new Map([
    ['name', name],
    ['arguments', args],
  ])
}

/** A reply in the ✿ format. */
export function qwenText(cell: Cell): string {
  return reply(cell, (name, args) => `✿FUNCTION✿: ${name}\n✿ARGS✿: ${dumps(args)}\n`)
}

/** A ReAct reply; only its last call is found. */
export function reactText(cell: Cell): string {
  return reply(
    cell,
    (name, args) => `\nAction: ${name}\nAction Input: ${dumps(args)}\nObservation: 21 degrees\nThought: `,
  )
}

const PROSE: Readonly<Record<Language, string>> = {
  en: 'I will look at the weather first, then compare the two cities and come back with a table. ',
  zh: '我先查询天气，然后比较两个城市，最后给出一张表格。',
}

function reply({ language, bytes, calls }: Cell, call: (name: string, args: PyValue) => string): string {
  const bare = call(toolName(0), toolArguments(0, ''))
  const unit = utf8Length(PROSE[language])
  const prose = PROSE[language].repeat(Math.max(1, Math.round((bytes * 0.2) / unit / calls)))
  const room = bytes / calls - utf8Length(prose) - utf8Length(bare)
  const filling = fill(language, Math.max(0, room))
  return Array.from({ length: calls }, (_, index) => prose + call(toolName(index), toolArguments(index, filling))).join(
    '',
  )
}

function toolName(index: number): string {
  return ['get_weather', 'search_web', 'send_mail'][index % 3] ?? ''
}

function toolArguments(index: number, content: string): PyValue {
  const options = new Map<string, PyValue>([
    ['limit', BigInt(index)],
    ['tags', ['a', 'b']],
    ['ratio', 0.5],
  ])
  return new Map<string, PyValue>([
    ['city', '北京'],
    ['options', options],
    ['content', content],
  ])
}

function fill(language: Language, bytes: number): string {
  return PROSE[language]
    .repeat(Math.ceil(bytes / utf8Length(PROSE[language])))
    .slice(0, language === 'zh' ? bytes / 3 : bytes)
}

export function utf8Length(text: string): number {
  return Buffer.byteLength(text)
}
