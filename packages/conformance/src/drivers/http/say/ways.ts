import type { Format } from '@callspec/core'
import type { PyDict } from '@callspec/python'
import { fromPlain } from '@callspec/python'

/**
 * How an engine is made to say a text: by constrained decoding, or by a model that repeats what its prompt has. `auto` is the first that works,
 * with tools if there is one.
 */
export type SayMode = 'auto' | 'grammar' | 'choice' | 'regex' | 'repeat'

/** The modes, in the order in which they are tried. */
export const SAY_MODES: readonly SayMode[] = ['auto', 'grammar', 'choice', 'regex', 'repeat']

export interface Way {
  readonly mode: Exclude<SayMode, 'auto'>
  /** The member of the request, for messages. */
  readonly name: string
  /**
   * Members of a request with which only this text can be generated; a text says why there are none.
   *
   * @param isThoughtless whether the request asks that the prompt opens no thought
   */
  readonly members: (text: string, isThoughtless?: boolean) => Promise<PyDict | string>
}

/** The ways of constrained decoding in a mode, the most usual first. */
export function waysOf(mode: SayMode): readonly Way[] {
  return mode === 'auto' ? REQUEST_WAYS : REQUEST_WAYS.filter((way) => way.mode === mode)
}

const REQUEST_WAYS: readonly Way[] = [
  { mode: 'grammar', name: 'grammar', members: (text) => membersDict({ grammar: grammarOf(text) }) },
  { mode: 'grammar', name: 'ebnf', members: (text) => membersDict({ ebnf: grammarOf(text) }) },
  {
    mode: 'choice',
    name: 'structured_outputs.choice',
    members: (text) => membersDict({ structured_outputs: { choice: [text] } }),
  },
  { mode: 'choice', name: 'guided_choice', members: (text) => membersDict({ guided_choice: [text] }) },
  { mode: 'regex', name: 'regex', members: (text) => membersDict({ regex: regexOf(text) }) },
  {
    mode: 'regex',
    name: 'structured_outputs.regex',
    members: (text) => membersDict({ structured_outputs: { regex: regexOf(text) } }),
  },
  { mode: 'regex', name: 'guided_regex', members: (text) => membersDict({ guided_regex: regexOf(text) }) },
]

function membersDict(members: Parameters<typeof fromPlain>[0]): Promise<PyDict> {
  return Promise.resolve(fromPlain(members) as PyDict)
}

/** What keeps the chat templates that know it from opening a thought. */
export const WITHOUT_THOUGHT: PyDict = fromPlain({
  chat_template_kwargs: { enable_thinking: false, thinking: false },
}) as PyDict

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

function regexOf(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, (letter) => `\\${letter}`)
}

/** The tokens that end a turn, of the format and of the engine. */
export function endsOf(format: Format | null): readonly string[] {
  return [...new Set([...(format?.stops.end ?? []), '<|im_end|>', '<|endoftext|>', '<|eot_id|>'])].filter(
    (end) => end !== '',
  )
}
