import { plural } from '@callspec/eval/plural'
import { quoted } from '../../terminal.ts'
import { driftBetween } from '../../regression/compare.ts'
import type { Drift } from '../../regression/compare.ts'
import type { Shown } from './side.ts'

/** How two sides part over one conversation. */
export interface Difference {
  readonly probe: string
  readonly how: 'raise-and-text' | 'raise' | 'text' | 'tokens'
  /** What each side makes of it, where there is no text on both. */
  readonly sides: readonly [string, string] | null
  /** Where two texts part for the first time. */
  readonly drift: Drift | null
}

/** How a text of one side is held against the tokens of the other. */
export interface Measure {
  /** Tokens of a text, by the server of the other side. */
  tokensOf(text: string): Promise<number | null>
  /** By how many tokens an estimate may be wrong. */
  slack(tokens: number): number
}

/** The difference, or null. */
export async function compareShown(
  probe: string,
  [left, right]: readonly [Shown, Shown],
  measure: Measure | null,
): Promise<Difference | null> {
  const sides = [shownText(left), shownText(right)] as const
  if (left.kind === 'raised' && right.kind === 'raised') {
    return saysTheSame(left, right) ? null : { probe, how: 'raise', sides, drift: null }
  }
  if (left.kind === 'raised' || right.kind === 'raised') return { probe, how: 'raise-and-text', sides, drift: null }
  if (left.kind === 'text' && right.kind === 'text') {
    const drift = left.text === right.text ? null : driftBetween(Buffer.from(left.text), Buffer.from(right.text))
    return drift === null ? null : { probe, how: 'text', sides: null, drift }
  }
  return compareTokens(probe, [left, right], measure)
}

type Rendered = Exclude<Shown, { readonly kind: 'raised' }>

async function compareTokens(
  probe: string,
  [left, right]: readonly [Rendered, Rendered],
  measure: Measure | null,
): Promise<Difference | null> {
  const estimated = left.kind === 'text' || right.kind === 'text'
  const [one, other] = [await tokensIn(left, measure), await tokensIn(right, measure)]
  if (one === null || other === null) return null
  const slack = estimated && measure !== null ? measure.slack(Math.max(one, other)) : 0
  if (Math.abs(one - other) <= slack) return null
  const text = (tokens: number, { kind }: Rendered): string =>
    `${kind === 'text' ? 'about ' : ''}${plural(tokens, 'token')}`
  return { probe, how: 'tokens', sides: [text(one, left), text(other, right)], drift: null }
}

async function tokensIn(shown: Rendered, measure: Measure | null): Promise<number | null> {
  if (shown.kind === 'tokens') return shown.tokens
  return measure === null ? null : measure.tokensOf(shown.text)
}

type Raised = Extract<Shown, { readonly kind: 'raised' }>

/** A server says in its own words why it refuses. */
function saysTheSame({ error: left }: Raised, { error: right }: Raised): boolean {
  const isServers = left.type === 'ServerError' || right.type === 'ServerError'
  return isServers || (left.type === right.type && left.message === right.message)
}

function shownText(shown: Shown): string {
  switch (shown.kind) {
    case 'raised':
      return `raises ${shown.error.type}: ${quoted(shown.error.message, 120)}`
    case 'tokens':
      return plural(shown.tokens, 'token')
    default:
      return `renders ${quoted(shown.text, 60)}`
  }
}
