import type { CallBlock, Repair } from './call-block.ts'

const FUNCTION = '✿FUNCTION✿:'
const ARGS = '✿ARGS✿:'
const ENDS = ['✿RESULT✿', '✿RETURN✿']

/** The calls of a ✿ text. Several ARGS after one FUNCTION are several calls of that tool, as the reference has it. */
export function qwenBlocks(text: string): readonly CallBlock[] {
  const blocks: CallBlock[] = []
  const limit = firstOf(text, ENDS, text.indexOf(FUNCTION))
  let start = text.indexOf(FUNCTION)
  while (start >= 0 && start < limit) {
    const next = text.indexOf(FUNCTION, start + FUNCTION.length)
    const end = next < 0 || next > limit ? limit : next
    const [name = '', ...args] = text.slice(start + FUNCTION.length, end).split(ARGS)
    if (args.length === 0) blocks.push({ name: name.trim(), json: '', repairs: ['empty-arguments'], start, end })
    for (const json of args) blocks.push({ name: name.trim(), json: json.trim(), repairs: [], start, end })
    start = next
  }
  return blocks
}

const EATEN =
  /(?:^|\n)[ \t]{0,8}(?:FUNCTION)?[ \t]{0,4}[:：][ \t]{0,4}[\w.-]{1,80}[ \t]{0,4}\n[ \t]{0,8}(?:ARGS)?[ \t]{0,4}[:：][ \t]{0,4}\{/

/** Where a text has a call without its flowers, or without the words between them: `: clock`, then `: {}`; null for nowhere. */
export function eatenMarks(text: string): number | null {
  if (text.includes('✿')) return null
  const match = EATEN.exec(text)
  return match === null ? null : match.index + (match[0].startsWith('\n') ? 1 : 0)
}

function firstOf(text: string, words: readonly string[], from: number): number {
  const places = words.map((word) => text.indexOf(word, Math.max(from, 0))).filter((at) => at >= 0)
  return places.length === 0 ? text.length : Math.min(...places)
}

const LOOSE_FUNCTION = /✿[ \t]*function[ \t]*✿[ \t]*[:：]?/gi
const LOOSE_ARGS = /✿[ \t]*args[ \t]*✿[ \t]*[:：]?/gi

/** The calls of a ✿ text whose marks are written otherwise: in small letters, with blanks, with another colon or none. */
export function looseQwenBlocks(text: string): readonly CallBlock[] {
  const opens = [...text.matchAll(LOOSE_FUNCTION)]
  return opens.flatMap((open, index) => {
    const end = opens[index + 1]?.index ?? firstOf(text, ENDS, open.index)
    const body = text.slice(open.index + open[0].length, end)
    const parts = [...body.matchAll(LOOSE_ARGS)]
    const name = body.slice(0, parts[0]?.index ?? body.length).trim()
    const at = { start: open.index, end }
    if (parts.length === 0)
      return [{ name, json: '', repairs: [...markRepairs(open[0]), 'empty-arguments' as const], ...at }]
    return parts.map((part, place) => {
      const json = body.slice(part.index + part[0].length, parts[place + 1]?.index ?? body.length).trim()
      return { name, json, repairs: [...new Set([...markRepairs(open[0]), ...markRepairs(part[0])])], ...at }
    })
  })
}

function markRepairs(mark: string): readonly Repair[] {
  const repairs: Repair[] = []
  if (mark.endsWith('：')) repairs.push('full-width')
  if (!/✿(?:FUNCTION|ARGS)✿[:：]?$/.test(mark)) repairs.push('tag-case')
  if (!/[:：]$/.test(mark)) repairs.push('missing-colon')
  return repairs
}
