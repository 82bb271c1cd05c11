import type { Profile } from '../../profile.ts'
import { strip, pyLength, pySlice, unreachable } from '@callspec/python'
import { ARGUMENTS_START, NAME_END, NAME_END_QUOTE, NAME_START } from './tokens.ts'

/** Name and arguments of a call that is not closed or not JSON, as far as they can be guessed. */
export interface PartialCall {
  readonly name: string
  readonly arguments: string
}

/**
 * Guesses name and arguments from the text of a call (spec §7.4, `extract_fn`). The spacing must be exactly as taught,
 * and neither may stand at the very start (spec Q12).
 */
export function extractFn(text: string, profile: Profile): PartialCall {
  const nameAt = text.indexOf(NAME_START)
  const argumentsAt = text.indexOf(ARGUMENTS_START)
  return {
    name: nameAt > 0 ? nameIn(text, nameAt + NAME_START.length, profile) : '',
    arguments: argumentsAt > 0 ? argumentsIn(text.slice(argumentsAt + ARGUMENTS_START.length), profile) : '',
  }
}

function nameIn(text: string, start: number, { nousPartialName }: Profile): string {
  const isNewer = nousPartialName === 'separator-or-nothing'
  // As in the reference: older versions take the first separator of the text, even one before the name.
  const end = text.indexOf(NAME_END, isNewer ? start : 0)
  if (end >= 0) return text.slice(start, Math.max(start, end))
  if (isNewer) return ''
  const rest = text.slice(start)
  const quote = nousPartialName === 'separator-or-quote' ? rest.indexOf(NAME_END_QUOTE) : -1
  return quote < 0 ? rest : rest.slice(0, quote)
}

function argumentsIn(text: string, { nousPartialCall }: Profile): string {
  switch (nousPartialCall) {
    case 'keep-all':
    case 'nothing':
      return text
    case 'drop-five-characters':
      return isLongerThan(text, 5) ? pySlice(text, 0, -5) : ''
    case 'drop-one-character': {
      // As in the reference: the last character is dropped, whether it is the closing brace of the call or not.
      const stripped = strip(text)
      return isLongerThan(stripped, 2) ? pySlice(stripped, 0, -1) : ''
    }
    default:
      return unreachable(nousPartialCall)
  }
}

/** Whether there are more code points; counts them only where it could matter. */
function isLongerThan(text: string, count: number): boolean {
  return text.length > 2 * count || pyLength(text) > count
}
