import { fromPlain } from '@callspec/python'
import type { PyDict } from '@callspec/python'

/** How an engine is asked for constrained decoding; `auto` is the first that works. */
export type SayMode = 'auto' | 'grammar' | 'choice' | 'regex'

/** The modes, in the order in which they are tried. */
export const SAY_MODES: readonly SayMode[] = ['auto', 'grammar', 'choice', 'regex']

/** One way of making an engine say a text. */
export interface Way {
  readonly mode: Exclude<SayMode, 'auto'>
  /** The member of the request, as people know it. */
  readonly name: string
  /** Members of a request after which only this text can be said. */
  readonly members: (text: string) => PyDict
}

/** The ways of a mode, the most usual first. */
export function waysOf(mode: SayMode): readonly Way[] {
  return mode === 'auto' ? WAYS : WAYS.filter((way) => way.mode === mode)
}

const WAYS: readonly Way[] = [
  { mode: 'grammar', name: 'grammar', members: (text) => made({ grammar: grammarOf(text) }) },
  { mode: 'grammar', name: 'ebnf', members: (text) => made({ ebnf: grammarOf(text) }) },
  {
    mode: 'choice',
    name: 'structured_outputs.choice',
    members: (text) => made({ structured_outputs: { choice: [text] } }),
  },
  { mode: 'choice', name: 'guided_choice', members: (text) => made({ guided_choice: [text] }) },
  { mode: 'regex', name: 'regex', members: (text) => made({ regex: regexOf(text) }) },
  {
    mode: 'regex',
    name: 'structured_outputs.regex',
    members: (text) => made({ structured_outputs: { regex: regexOf(text) } }),
  },
  { mode: 'regex', name: 'guided_regex', members: (text) => made({ guided_regex: regexOf(text) }) },
]

function made(members: Parameters<typeof fromPlain>[0]): PyDict {
  return fromPlain(members) as PyDict
}

/** A grammar (GBNF of llama.cpp, which XGrammar reads too) that allows exactly one text. */
export function grammarOf(text: string): string {
  const letters = Array.from(text, (letter) => {
    if (letter === '"' || letter === '\\') return `\\${letter}`
    const point = letter.codePointAt(0) ?? 0
    if (point >= 32 && point < 127) return letter
    const hex = point.toString(16)
    if (point < 0x100) return `\\x${hex.padStart(2, '0')}`
    return point < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
  })
  return `root ::= "${letters.join('')}"\n`
}

/** A regular expression that allows exactly one text. */
function regexOf(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, (letter) => `\\${letter}`)
}
