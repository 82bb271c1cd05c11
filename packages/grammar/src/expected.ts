import type { Reading } from './stepper.ts'
import type { CompiledGrammar, Edge } from './compile.ts'

const MAX_EXPECTED = 12
const MAX_BYTES = 80

/** What may follow a set of readings, sorted: literal texts in quotes, classes of bytes, `any text`, and `end`. */
export function expectedNext(
  grammar: CompiledGrammar,
  readings: readonly Reading[],
  mayEnd: boolean,
): readonly string[] {
  const found = new Set<string>()
  for (const { state } of readings) found.add(describeState(grammar, state))
  const sorted = [...found].sort()
  const shown = sorted.slice(0, MAX_EXPECTED)
  if (sorted.length > shown.length) shown.push(`${sorted.length - shown.length} more`)
  return mayEnd ? [...shown, 'end'] : shown
}

function describeState(grammar: CompiledGrammar, number: number): string {
  const state = grammar.states[number]
  if (state?.kind === 'free') return 'any text'
  if (state?.kind === 'bytes') return describeEdges(state.edges)
  return literalFrom(grammar, number)
}

// A literal is a chain of states; what follows its last byte has another beginning, and is not shown.
function literalFrom(grammar: CompiledGrammar, number: number): string {
  const bytes: number[] = []
  for (
    let state = grammar.states[number];
    state?.kind === 'byte' && bytes.length < MAX_BYTES;
    state = grammar.states[state.to]
  )
    bytes.push(state.byte)
  return JSON.stringify(new TextDecoder().decode(Uint8Array.from(bytes)))
}

function describeEdges(edges: readonly Edge[]): string {
  const ascii = edges.filter((edge) => edge.first < 0x80)
  const others = edges.length > ascii.length
  const allowed = ascii.reduce((sum, edge) => sum + edge.last - edge.first + 1, 0)
  if (allowed === 128 && others) return 'any character'
  if (allowed <= 64) {
    const listed = ascii
      .map(({ first, last }) => (first === last ? char(first) : `${char(first)}-${char(last)}`))
      .join('')
    return `[${listed}${others ? ' and beyond ASCII' : ''}]`
  }
  const refused = []
  for (let code = 0; code < 128; code += 1)
    if (!ascii.some((edge) => edge.first <= code && code <= edge.last)) refused.push(code)
  return `[^${refused.map(char).join('')}]`
}

function char(code: number): string {
  return code < 0x20 || code === 0x7f
    ? JSON.stringify(String.fromCodePoint(code)).slice(1, -1)
    : String.fromCodePoint(code)
}
