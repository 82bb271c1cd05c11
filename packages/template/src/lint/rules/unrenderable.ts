import type { Rule } from '../rule.ts'

/**
 * What cannot be rendered because something is missing: a filter, a test, a variable, or a line of the template that can
 * be read. It is found while the conversations are rendered, which then goes on with a stand-in, so that there is nothing
 * left to see afterwards.
 */
export const UNRENDERABLE: Rule = {
  id: 'unrenderable',
  severity: 'error',
  about: 'The template needs something that transformers does not give it, or is no template at all.',
  remedy: 'Define it in the template, or give the variable with every request.',
  reports: [],
  check: () => null,
}
