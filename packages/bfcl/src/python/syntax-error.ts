import { Raise } from '@callspec/python'

/** The error of whatever Python does not read. Its text is compared by nobody. */
export function syntaxError(what: string): Raise {
  return new Raise('SyntaxError', what)
}
