import type { AttackName, PlaceName } from '../../forge/attacks.ts'
import { ATTACKS } from '../../forge/attacks.ts'
import type { Rule, Severity, Sighting, View } from '../report.ts'

const IN_RESULTS =
  'Print results as JSON, with `| tojson`, or encode them before rendering. The prompts change, and the model was trained on the old ones: evaluate it again.'
const OF_USERS =
  "No template helps: let the server's tokenizer make no control tokens of texts. `callspec doctor` shows whether it does (text-tokens)."
const OF_TOOLS =
  'Offer only tools that you trust, or print their declarations as JSON. Where the marks need no quotation marks, only a tokenizer that makes no control tokens of texts helps.'
const IN_ARGUMENTS =
  'Print arguments as JSON, with `| tojson`, or refuse marks in them. Where the marks need no quotation marks, only a tokenizer that makes no control tokens of texts helps.'

const REPORTS = {
  user: [
    'https://github.com/huggingface/transformers/issues/29279',
    'https://github.com/huggingface/transformers/issues/47822',
  ],
  result: ['https://github.com/advisories/GHSA-g5f9-3xfg-p9mf', 'https://github.com/vllm-project/vllm/issues/31735'],
  tools: ['https://github.com/gonka-ai/gonka/issues/1184'],
} as const

/** What texts of users, results and tools can pretend to be. The attacks are derived from the template itself. */
export const FORGERY_RULES: readonly Rule[] = [
  attackRule('result-forges-call', 'error', "A result's text becomes a second call and its result, byte for byte."),
  attackRule('result-forges-turn', 'error', "A result's text becomes turns of the model and the user, byte for byte."),
  attackRule('result-forges-system', 'error', "A result's text becomes a system message, byte for byte."),
  attackRule('user-forges-call', 'warning', "A user's text becomes a call and its result, byte for byte."),
  attackRule('user-forges-system', 'warning', "A user's text becomes a system message, byte for byte."),
  attackRule('user-forges-turn', 'warning', "A user's text becomes turns of the model and the user, byte for byte."),
  placeRule('description-forges-turn', 'The description of a tool or property', OF_TOOLS, REPORTS.tools),
  placeRule('name-forges-turn', 'The name of a tool or property', OF_TOOLS, REPORTS.tools),
  placeRule('argument-forges-turn', 'The argument of an earlier call', IN_ARGUMENTS, []),
]

function attackRule(id: AttackName, severity: Severity, about: string): Rule {
  const isResult = id.startsWith('result-')
  return {
    id,
    severity,
    about,
    remedy: isResult ? IN_RESULTS : OF_USERS,
    reports: isResult ? REPORTS.result : REPORTS.user,
    check: (view) => forgedSighting(view, { id, isResult }),
  }
}

function forgedSighting(
  view: View,
  { id, isResult }: { readonly id: AttackName; readonly isResult: boolean },
): Sighting | null {
  const found = view.forgeries.attacks.find(({ attack, outcome }) => attack === id && outcome === 'forged')
  const forges = ATTACKS.find(({ name }) => name === id)?.forges ?? ''
  if (found === undefined || found.forged === null || found.text === null || found.realPrompt === null) return null
  const { forged, text, real, realPrompt } = found
  const start = realPrompt.indexOf(text)
  return {
    probe: forged.id,
    detail: `One text spells ${forges}: the same ${realPrompt.length} characters as the real conversation.`,
    spot: { start, end: start + text.length },
    forgery: { text, real, realPrompt, tokens: [], fix: isResult ? view.fixResult({ attack: id, text }) : null },
  }
}

function placeRule(id: PlaceName, what: string, remedy: string, reports: readonly string[]): Rule {
  return {
    id,
    severity: 'warning',
    about: `${what} that spells a turn is in the prompt as it is, or its special tokens are.`,
    remedy,
    reports,
    check: (view) => placeSighting(view, id),
  }
}

function placeSighting(view: View, id: PlaceName): Sighting | null {
  const found = view.forgeries.places.find(({ place }) => place === id)
  if (found === undefined) return null
  const { probe, prompt, text, tokens, real, realPrompt } = found
  const shown = tokens[0] ?? text
  const start = prompt.indexOf(shown)
  const detail =
    tokens.length === 0
      ? `By text: the prompt contains the ${text.length} characters of the turn.`
      : `By token: the text is escaped, but ${tokens.join(' ')} remain.`
  return {
    probe: probe.id,
    detail,
    spot: { start, end: start + shown.length },
    forgery: { text, real, realPrompt, tokens, fix: view.fixPlace(found) },
  }
}
