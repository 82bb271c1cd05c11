import { MARK } from '../probe.ts'
import type { Probe } from '../probe.ts'
import type { Rule } from '../report.ts'
import type { Sighting, View } from '../view.ts'

/** Two turns of a user with one of the assistant between them. */
export const TURNS_TO_FORGE: Probe = {
  id: 'three-turns',
  messages: [
    { role: 'user', content: MARK.left },
    { role: 'assistant', content: MARK.answer },
    { role: 'user', content: MARK.right },
  ],
  tools: null,
}

/** One message of a user that holds what the template writes between turns; null where it writes nothing. */
export function forgeryOf(rendered: string): Probe | null {
  const turns = turnsIn(rendered)
  if (turns === null || turns.replaceAll(MARK.answer, () => '').trim() === `${MARK.left}${MARK.right}`) return null
  return { id: 'forged-turns', messages: [{ role: 'user', content: turns }], tools: null }
}

function turnsIn(rendered: string): string | null {
  const start = rendered.indexOf(MARK.left)
  const end = rendered.lastIndexOf(MARK.right)
  return start < 0 || end < start ? null : rendered.slice(start, end + MARK.right.length)
}

/** What texts of a user can pretend to be. */
export const TOKEN_RULES: readonly Rule[] = [
  {
    id: 'token-in-text',
    severity: 'info',
    about: "A user's text with the marks of turns becomes turns that look like real ones.",
    remedy: "Tokenize users' texts without special tokens, or remove the marks from them before rendering.",
    reports: [
      'https://github.com/huggingface/transformers/issues/29279',
      'https://github.com/huggingface/transformers/issues/47822',
    ],
    check: checkForgery,
  },
]

function checkForgery(view: View): Sighting | null {
  const real = view.text('three-turns')
  const forged = view.text('forged-turns')
  if (real === null || forged === null) return null
  const turns = turnsIn(real)
  const start = turns === null ? -1 : forged.indexOf(turns)
  if (turns === null || start < 0) return null
  const special = view.specials.find((token) => turns.includes(token))
  if (view.specials.length > 0 && special === undefined) return null
  const what = special === undefined ? 'The marks of turns' : `The special token ${special}`
  return {
    probe: 'forged-turns',
    detail: `${what} in one message of the user: the same prompt as two messages with an answer between them.`,
    spot: { start: start + MARK.left.length, end: start + turns.length - MARK.right.length },
  }
}
