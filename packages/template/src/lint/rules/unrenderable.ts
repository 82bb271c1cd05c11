import type { Rule } from '../rule.ts'
import { isSandboxRefusal } from './refusal.ts'

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

/** That the template does what its sandbox forbids: it says nothing about which conversations the template knows. */
export const SANDBOX_REFUSED: Rule = {
  id: 'sandbox-refused',
  severity: 'error',
  about: 'The template uses what the sandbox of transformers, vLLM and SGLang forbids, such as list.append.',
  remedy:
    'Build a new value instead of changing one: {% set ns.items = ns.items + [item] %} with a namespace; leave out attributes that begin with an underscore.',
  reports: [],
  check: (view) => {
    for (const probe of view.ids) {
      const detail = view.raise(probe)
      if (detail !== null && isSandboxRefusal(detail)) return { probe, detail, spot: null }
    }
    return null
  },
}
