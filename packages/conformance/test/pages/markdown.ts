import { visible } from '../../src/index.ts'

const LONGEST = 160

/** A text as code in a cell of a table: one line, bounded, nothing in it is markup. */
export function code(text: string): string {
  const shown = visible(text).replaceAll('␣', ' ')
  const short = [...shown].length > LONGEST ? `${[...shown].slice(0, LONGEST).join('')}…` : shown
  if (short.trim() === '') return `\`${visible(text) || ' '}\``
  const fence = short.includes('`') ? '``' : '`'
  return `${fence}${fence === '``' ? ` ${short} ` : short}${fence}`.replaceAll('|', '\\|')
}

/** A table of cells that are Markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
