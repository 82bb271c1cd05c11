import type { OptionTable } from '../command.ts'

/** What `matrix` writes besides the terminal. */
export const MATRIX_FILES: OptionTable = {
  html: {
    help: 'With matrix: write it as a page to FILE: topics by implementations, with the failing cases of --results and recorded engines side by side.',
    value: 'FILE',
  },
  results: {
    help: 'With matrix --html: results of a run, as --json wrote them.',
    value: 'FILE',
    repeat: true,
  },
  recorded: {
    help: 'With matrix: print what engines answered once, by formats and topics. Formats may be named instead of files.',
  },
  badges: { help: 'With matrix: write a badge (SVG) per implementation into DIR.', value: 'DIR' },
}
