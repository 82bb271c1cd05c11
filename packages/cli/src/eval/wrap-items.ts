const WIDTH = 80
const INDENT = '    '

/** Items after a label, separated by commas, over as many lines of at most 80 columns as they need. */
export function wrapItems(label: string, items: readonly string[]): readonly string[] {
  const lines: string[] = []
  let line = label
  for (const [index, item] of items.entries()) {
    const text = index < items.length - 1 ? `${item},` : item
    const isFirst = line === label || line === INDENT
    if (!isFirst && line.length + 1 + text.length > WIDTH) {
      lines.push(line)
      line = `${INDENT}${text}`
    } else line += isFirst ? text : ` ${text}`
  }
  return [...lines, line]
}
