import { displayWidth } from '../columns.ts'
import type { Output } from '../output.ts'

type Width = Pick<Output, 'wrapAt'>

const INDENT = '    '

/** Items after a label, separated by commas, over as many lines as they need. */
export function wrapItems(label: string, items: readonly string[], { wrapAt }: Width): readonly string[] {
  const lines: string[] = []
  let line = label
  for (const [index, item] of items.entries()) {
    const text = index < items.length - 1 ? `${item},` : item
    const isFirst = line === label || line === INDENT
    if (!isFirst && displayWidth(line) + 1 + displayWidth(text) > wrapAt) {
      lines.push(line)
      line = `${INDENT}${text}`
    } else line += isFirst ? text : ` ${text}`
  }
  return [...lines, line]
}

/** A sentence over as many lines as it needs. */
export function wrapWords(text: string, width: Width): readonly string[] {
  return wrapHanging(text, 0, width)
}

/** The same, every line after so many spaces. Parted at blanks, and behind signs of blanks; a longer word or path stays whole. */
export function wrapHanging(text: string, indent: number, { wrapAt }: Width): readonly string[] {
  const lines: string[] = []
  let [line, width] = ['', indent]
  for (const word of text.split(/(?<=[ ␣⏎])/)) {
    const own = displayWidth(word)
    if (line !== '' && width + (word.endsWith(' ') ? own - 1 : own) > wrapAt) {
      lines.push(line.replace(/ $/, ''))
      ;[line, width] = ['', indent]
    }
    line += word
    width += own
  }
  return [...lines, line].map((each) => ' '.repeat(indent) + each)
}
