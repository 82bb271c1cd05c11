import { TemplateSyntaxError } from '../syntax/syntax-error.ts'

/**
 * Refuses a template whose scopes miss a name, as Jinja does for a name that stands only in the arguments of the filter
 * of a `set` block.
 */
export function unknownName(name: string): never {
  const message = `Tried to resolve a name to a reference that was unknown to the frame ('${name}')`
  throw new TemplateSyntaxError(message, { line: 1 }, 'AssertionError')
}
