import { dumps, InputError } from '@callspec/python'
import type { TemplateServer } from '../source/template-source.ts'
import { diffProbes, isForServers } from './side.ts'
import type { DiffProbe, Shown, Side } from './side.ts'

/** A difference between two sides in one conversation. */
export type Difference =
  | { readonly probe: string; readonly how: 'raise-and-text' | 'raise'; readonly sides: readonly [Shown, Shown] }
  | { readonly probe: string; readonly how: 'text'; readonly texts: readonly [string, string] }
  | { readonly probe: string; readonly how: 'tokens'; readonly counts: readonly [TokenEstimate, TokenEstimate] }

export interface TokenEstimate {
  readonly tokens: number
  /** Whether the text of this side was measured with the tokenizer of the other. */
  readonly isEstimate: boolean
}

/** The result of a comparison. */
export interface DiffResult {
  readonly sides: readonly [Side, Side]
  readonly probes: number
  /** First those that only one side refuses; otherwise in the order of the conversations. */
  readonly differences: readonly Difference[]
  /** A special token with which only one side begins every prompt, and which was not compared. */
  readonly leading: string | null
}

interface ShownProbe {
  readonly probe: DiffProbe
  readonly shown: readonly [Shown, Shown]
}

/**
 * Renders every conversation with both sides.
 *
 * @throws InputError for a server that stops answering, or whose counts cannot be used
 */
export async function compareTemplates(
  sides: readonly [Side, Side],
  progress: (done: number, of: number) => void,
): Promise<DiffResult> {
  const hasServer = sides.some(({ server }) => server !== null)
  const probes = diffProbes().filter((probe) => !hasServer || isForServers(probe))
  const pairs: ShownProbe[] = []
  for (const [index, probe] of probes.entries()) {
    progress(index, probes.length)
    pairs.push({ probe, shown: [await sides[0].show(probe), await sides[1].show(probe)] })
  }
  const leading = hasServer ? leadingToken(pairs, sides) : null
  const measure = await measureFor(sides, pairs)
  const differences: Difference[] = []
  for (const { probe, shown } of pairs) {
    const cut = [withoutStart(shown[0], leading), withoutStart(shown[1], leading)] as const
    const found = await compareShown(probe.id, cut, measure)
    if (found !== null) differences.push(found)
  }
  const rank = ({ how }: Difference): number => (how === 'raise-and-text' ? 0 : 1)
  return { sides, probes: probes.length, differences: differences.toSorted((a, b) => rank(a) - rank(b)), leading }
}

/** Engines let their tokenizer add the first token, so that it does not appear twice. */
function leadingToken(pairs: readonly ShownProbe[], sides: readonly [Side, Side]): string | null {
  const token = sides.map(({ tokens }) => tokens['bos_token']).find((each) => each !== undefined && each !== '')
  if (token === undefined) return null
  const begins = (index: 0 | 1): readonly boolean[] =>
    pairs.flatMap(({ shown }) => {
      const each = shown[index]
      return each.kind === 'text' ? [each.text.startsWith(token)] : []
    })
  const [left, right] = [begins(0), begins(1)]
  if (left.length === 0 || right.length === 0) return null
  const all = (side: readonly boolean[], value: boolean): boolean => side.every((each) => each === value)
  return (all(left, true) && all(right, false)) || (all(left, false) && all(right, true)) ? token : null
}

function withoutStart(shown: Shown, token: string | null): Shown {
  if (token === null || shown.kind !== 'text' || !shown.text.startsWith(token)) return shown
  return { kind: 'text', text: shown.text.slice(token.length) }
}

/** Compares a text of one side with a number of tokens of the other. */
export interface TokenMeasure {
  /** Tokens of a text, by the server of the other side. */
  tokensOf(text: string): Promise<number | null>
  /** By how many tokens an estimate may be wrong. */
  slack(tokens: number): number
}

/** The difference, or null. Texts are compared as UTF-8. */
export async function compareShown(
  probe: string,
  [left, right]: readonly [Shown, Shown],
  measure: TokenMeasure | null,
): Promise<Difference | null> {
  const sides = [left, right] as const
  if (left.kind === 'raised' && right.kind === 'raised')
    return isSameRaise(left, right) ? null : { probe, how: 'raise', sides }
  if (left.kind === 'raised' || right.kind === 'raised') return { probe, how: 'raise-and-text', sides }
  if (left.kind === 'text' && right.kind === 'text')
    return inUtf8(left.text) === inUtf8(right.text) ? null : { probe, how: 'text', texts: [left.text, right.text] }
  const [one, other] = [await estimate(left, measure), await estimate(right, measure)]
  if (one === null || other === null) return null
  const isEstimate = one.isEstimate || other.isEstimate
  const slack = isEstimate && measure !== null ? measure.slack(Math.max(one.tokens, other.tokens)) : 0
  return Math.abs(one.tokens - other.tokens) <= slack ? null : { probe, how: 'tokens', counts: [one, other] }
}

/** A lone surrogate becomes U+FFFD in UTF-8. */
function inUtf8(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd')
}

type Rendered = Exclude<Shown, { readonly kind: 'raised' }>

async function estimate(shown: Rendered, measure: TokenMeasure | null): Promise<TokenEstimate | null> {
  if (shown.kind === 'tokens') return { tokens: shown.tokens, isEstimate: false }
  const tokens = measure === null ? null : await measure.tokensOf(shown.text)
  return tokens === null ? null : { tokens, isEstimate: true }
}

type Raised = Extract<Shown, { readonly kind: 'raised' }>

/** A server words its refusals itself, so that any two of them count as the same. */
function isSameRaise({ error: left }: Raised, { error: right }: Raised): boolean {
  const isServers = left.type === 'ServerError' || right.type === 'ServerError'
  return isServers || (left.type === right.type && left.message === right.message)
}

async function measureFor(sides: readonly [Side, Side], pairs: readonly ShownProbe[]): Promise<TokenMeasure | null> {
  const texts = pairs.flatMap(({ shown }) => shown.flatMap((each) => (each.kind === 'text' ? [each.text] : [])))
  const counting = sides.find(({ by }) => by === 'prompt_tokens')?.server
  const [text] = texts
  return text === undefined || counting === undefined || counting === null ? null : calibrate(counting, specialIn(text))
}

const PREFIX_WORD = 'one'
/** A server may trim white space at the ends of a text, and tokens may merge at its edges. */
const SLACK = 2
const RELATIVE_SLACK = 0.01

/**
 * Measures texts with a server that shows only numbers of tokens: each is sent as a user's message, and the tokens that
 * the server adds around it are subtracted. Plain texts of known length show how many these are.
 *
 * @param special a special token of the other side's prompts; the server must encode it as one token in a user's text, too
 * @throws InputError for a server whose numbers do not add up
 */
async function calibrate(server: TemplateServer, special: string | null): Promise<TokenMeasure> {
  const count = async (text: string): Promise<number> => {
    const message = new Map([
      ['role', 'user'],
      ['content', text],
    ])
    const answer = await server.countTokens(dumps(new Map([['messages', [message]]])))
    if (answer.kind === 'counted') return answer.tokens
    const why = answer.kind === 'failed' ? answer.reason : answer.error.message
    throw new InputError(server.address, `the server counted no tokens of a plain text: ${why}`)
  }
  const lengths = [1, 2, 4, 8]
  const counts: number[] = []
  for (const length of lengths) counts.push(await count(Array.from({ length }, () => PREFIX_WORD).join(' ')))
  const [first = 0] = counts
  if (lengths.some((length, index) => counts[index] !== first + length - 1))
    throw new InputError(
      server.address,
      `its prompt_tokens do not follow its prompts: 1, 2, 4 and 8 words count as ${counts.join(', ')}.`,
    )
  const around = first - 1
  if (special !== null && (await count(`${PREFIX_WORD}${special}${PREFIX_WORD}`)) !== around + 3)
    throw new InputError(
      server.address,
      `counts ${JSON.stringify(special)} in a user's text as ordinary text, so it cannot measure prompts. ` +
        'Compare with the template file that the server was started with.',
    )
  return {
    tokensOf: async (text) => (await count(text)) - around,
    slack: (tokens) => SLACK + Math.floor(tokens * RELATIVE_SLACK),
  }
}

/** The first text that looks like a special token. */
function specialIn(text: string): string | null {
  return /<[|｜][^\s<>]{1,40}[|｜]>|<(?:s|start_of_turn|bos)>|\[[A-Z_]{2,20}\]/.exec(text)?.[0] ?? null
}
