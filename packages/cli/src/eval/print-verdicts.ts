import type { GateVerdict } from '@callspec/eval'
import type { Output, Style } from '../output.ts'
import { inert } from '../terminal.ts'
import type { Judgement } from './gates.ts'
import { wrapHanging } from './wrap-items.ts'

const WORDS: Readonly<Record<GateVerdict['status'], { readonly word: string; readonly style: Style }>> = {
  passed: { word: 'passed', style: 'green' },
  failed: { word: 'FAILED', style: 'red' },
  inconclusive: { word: 'unclear', style: 'yellow' },
  void: { word: 'no verdict', style: 'yellow' },
}
const WORD_WIDTH = 11

/** Prints one entry per gate: whether it is met, on which row, and how it was. */
export function printVerdicts({ verdicts, held, obstacles }: Judgement, output: Output): void {
  for (const { status, gate, scope, text } of verdicts) printVerdict(status, `${gate} · ${scope}: ${text}`, output)
  if (held !== null && held.rates > 0) {
    const open = verdicts.filter(({ gate }) => / worse by /.test(gate)).length
    printVerdict('passed', `${held.rates - open} of ${held.rates} rates are no worse than in ${held.path}`, output)
  }
  for (const obstacle of obstacles) for (const line of wrapHanging(inert(`note: ${obstacle}`), 0)) output.line(line)
}

function printVerdict(status: GateVerdict['status'], text: string, output: Output): void {
  const { word, style } = WORDS[status]
  const [first = '', ...rest] = wrapHanging(inert(text), WORD_WIDTH)
  output.line(`${output.paint(style, word.padEnd(WORD_WIDTH))}${first.trimStart()}`)
  for (const line of rest) output.line(line)
}
