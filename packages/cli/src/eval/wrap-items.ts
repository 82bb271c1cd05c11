import { displayWidth } from '../columns.ts'

const WIDTH = 80
const INDENT = '    '

/** Items after a label, separated by commas, over as many lines of at most 80 columns as they need. */
export function wrapItems(label: string, items: readonly string[]): readonly string[] {
  const lines: string[] = []
  let line = label
  for (const [index, item] of items.entries()) {
    const text = index < items.length - 1 ? `${item},` : item
    const isFirst = line === label || line === INDENT
    if (!isFirst && displayWidth(line) + 1 + displayWidth(text) > WIDTH) {
      lines.push(line)
      line = `${INDENT}${text}`
    } else line += isFirst ? text : ` ${text}`
  }
  return [...lines, line]
}

/** A sentence over as many lines of at most 80 columns as it needs. */
export function wrapWords(text: string): readonly string[] {
  return wrapHanging(text, 0)
}

/** The same, every line after so many spaces. */
export function wrapHanging(text: string, indent: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && indent + displayWidth(line) + 1 + displayWidth(word) > WIDTH) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((each) => ' '.repeat(indent) + each)
}
