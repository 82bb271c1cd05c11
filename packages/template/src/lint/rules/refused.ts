import { MARK } from '../probe.ts'
import type { Rule, Sighting, View } from '../report.ts'
import { gapAfter } from '../report.ts'

/** That a conversation is refused, while the same one without what is looked at is not. */
export function refusal(view: View, probe: string, usual: string): Sighting | null {
  const raise = view.raise(probe)
  if (raise === null || isSandboxRefusal(raise) || view.text(usual) === null) return null
  return { probe, detail: raise, spot: null }
}

/** Whether a conversation fails because of the sandbox in which templates are rendered; a server says it in its own error. */
function isSandboxRefusal(raise: string): boolean {
  return /\bSecurityError\b|access to attribute '[^']{1,80}' of '[^']{1,80}' object is unsafe/.test(raise)
}

/**
 * A template that cannot be rendered: something is missing (a filter, a test, a variable, a readable line), or it raises for every
 * conversation. It is found while the conversations are rendered, with stand-ins, so that the check itself has nothing to do.
 */
export const UNRENDERABLE: Rule = {
  id: 'unrenderable',
  severity: 'error',
  about:
    'The template needs something that transformers does not provide, refuses every conversation, or is no template.',
  remedy: 'Define what is missing in the template, or send the variable with every request.',
  reports: [],
  check: () => null,
}

/** That the template does what its sandbox forbids: it says nothing about which conversations the template knows. */
export const SANDBOX_REFUSED: Rule = {
  id: 'sandbox-refused',
  severity: 'error',
  about:
    'The template uses a method or attribute that the sandbox of transformers, vLLM and SGLang forbids, such as list.append.',
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

/** How messages of other roles than user and assistant come out. */
export const ROLE_RULES: readonly Rule[] = [
  {
    id: 'system-dropped',
    severity: 'error',
    about: 'The system message is not shown.',
    remedy: 'Put the instructions into the first message of the user, or use a template that shows them.',
    reports: [],
    check: (view) => lostMark(view, 'system', MARK.system) ?? lostMark(view, 'system-with-tools', MARK.system),
  },
  {
    id: 'system-refused',
    severity: 'warning',
    about: 'A system message at the beginning is refused.',
    remedy: 'Put the instructions into the first message of the user.',
    reports: ['https://github.com/EricLBuehler/mistral.rs/issues/45'],
    check: (view) => refusal(view, 'system', 'greeting') ?? refusal(view, 'system-with-tools', 'tools'),
  },
  {
    id: 'late-system-lost',
    severity: 'error',
    about: 'A system message after the first message is silently lost.',
    remedy: 'Put late instructions into a message of the user.',
    reports: [],
    check: (view) => lostMark(view, 'system-late', MARK.lateSystem),
  },
  {
    id: 'developer-lost',
    severity: 'info',
    about: 'A message of the role developer is silently lost.',
    remedy: 'Use the role system.',
    reports: [],
    check: (view) => lostMark(view, 'developer', MARK.developer),
  },
  {
    id: 'two-users-refused',
    severity: 'info',
    about: 'Two messages of the user in a row are refused.',
    remedy: 'Join them before rendering.',
    reports: ['https://github.com/vllm-project/vllm/issues/6862'],
    check: (view) => refusal(view, 'two-users', 'greeting'),
  },
]

function lostMark(view: View, probe: string, mark: string): Sighting | null {
  const text = view.text(probe)
  if (text === null || text.includes(mark)) return null
  return { probe, detail: 'Its text is missing.', spot: gapAfter(text, []) }
}
