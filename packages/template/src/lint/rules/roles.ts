import { MARK } from '../marks.ts'
import type { Rule } from '../rule.ts'
import { gapAfter } from '../view.ts'
import type { Sighting, View } from '../view.ts'
import { refusal } from './refusal.ts'

/** How messages of other roles than user and assistant come out. */
export const ROLE_RULES: readonly Rule[] = [
  {
    id: 'system-dropped',
    severity: 'error',
    about: 'The system message is not shown.',
    remedy: 'Put the instructions into the first message of the user, or take a template that shows them.',
    reports: [],
    check: (view) => lost(view, 'system', MARK.system) ?? lost(view, 'system-with-tools', MARK.system),
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
    about: 'A system message behind the first message is lost, without a word.',
    remedy: 'Put late instructions into a message of the user.',
    reports: [],
    check: (view) => lost(view, 'system-late', MARK.lateSystem),
  },
  {
    id: 'developer-lost',
    severity: 'info',
    about: 'A message of the role developer is lost, without a word.',
    remedy: 'Give it the role system.',
    reports: [],
    check: (view) => lost(view, 'developer', MARK.developer),
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

function lost(view: View, probe: string, mark: string): Sighting | null {
  const text = view.text(probe)
  if (text === null || text.includes(mark)) return null
  return { probe, detail: 'Its text is not there.', spot: gapAfter(text, []) }
}
