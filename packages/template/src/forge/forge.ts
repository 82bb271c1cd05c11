import type { Rendering } from '../rendering.ts'
import { MARK } from '../lint/probe.ts'
import type { Form, Probe } from '../lint/probe.ts'
import type { Attack, AttackName, PlaceName } from './attacks.ts'
import { ATTACKS, PLACES } from './attacks.ts'
import type { Forgeries, Forgery, PlaceForgery } from './forgery.ts'

/** Asks for the rendering of one conversation. */
export type Ask = (probe: Probe) => Generator<Probe, Rendering, Rendering>

/** Tries every attack: yields a conversation and takes its rendering. Linear in the prompts. */
export function* tryAttacks(
  form: Form,
  {
    ask,
    specials,
    names = null,
  }: { readonly ask: Ask; readonly specials: readonly string[]; readonly names?: readonly AttackName[] | null },
): Generator<Probe, Forgeries, Rendering> {
  const attacks: Forgery[] = []
  for (const attack of ATTACKS)
    if (names === null || names.includes(attack.name)) attacks.push(yield* tryAttack(attack, form, ask))
  const turn = attacks.find(({ attack, text }) => attack === 'user-forges-turn' && text !== null)
  const places: PlaceForgery[] = []
  if (turn === undefined || turn.text === null || turn.realPrompt === null) return { attacks, places }
  const { text, real, realPrompt } = turn
  for (const place of ['description-forges-turn', 'name-forges-turn', 'argument-forges-turn'] as const) {
    const found = yield* tryPlace(place, { form, ask, specials, text, real, realPrompt })
    if (found !== null) places.push(found)
  }
  return { attacks, places }
}

/** Runs steps that ask for conversations with a function that renders them. */
export function withRenderer<T>(
  render: (probe: Probe) => Rendering,
  steps: (ask: Ask) => Generator<Probe, T, Rendering>,
): T {
  const running = steps(askOnce)
  let next = running.next()
  while (next.done !== true) next = running.next(render(next.value))
  return next.value
}

/** Asks for one conversation. */
export function* askOnce(probe: Probe): Generator<Probe, Rendering, Rendering> {
  return yield probe
}

/** Tries one attack. */
export function* tryAttack(attack: Attack, form: Form, ask: Ask): Generator<Probe, Forgery, Rendering> {
  const real = attack.real(form)
  const rendered = yield* ask(real)
  const base = {
    attack: attack.name,
    real,
    byTrimming: false,
    text: null,
    forged: null,
    realPrompt: null,
    forgedPrompt: null,
  }
  if (rendered.kind === 'raised') return { ...base, ...refusalOf(rendered, 'the real conversation') }
  const text = textBetween(rendered.text)
  const realPrompt = rendered.text
  if (text === null)
    return { ...base, realPrompt, outcome: 'not-shown', reason: 'the prompt of the real conversation lacks its texts' }
  const forged = attack.carrier(form, text)
  const again = yield* ask(forged)
  if (again.kind === 'raised') return { ...base, realPrompt, text, forged, ...refusalOf(again, 'the forged text') }
  const forgedPrompt = again.text
  const shown = { ...base, text, forged, realPrompt, forgedPrompt }
  if (forgedPrompt === realPrompt) return { ...shown, outcome: 'forged', reason: '' }
  const byTrimming = withoutSpace(forgedPrompt) === withoutSpace(realPrompt)
  return {
    ...shown,
    outcome: 'other-bytes',
    byTrimming,
    reason: differenceOf(realPrompt, { forgedPrompt, text, byTrimming }),
  }
}

function refusalOf({ error }: Rendering & { kind: 'raised' }, what: string): Pick<Forgery, 'outcome' | 'reason'> {
  const outcome = error.type.endsWith('LimitError') ? 'not-shown' : 'refused'
  return { outcome, reason: `${what}: ${error.type}: ${error.message}` }
}

/** From the first mark to the last one. */
function textBetween(prompt: string): string | null {
  const start = prompt.indexOf(MARK.left)
  const end = prompt.lastIndexOf(MARK.right)
  return start < 0 || end < start ? null : prompt.slice(start, end + MARK.right.length)
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

function differenceOf(
  real: string,
  {
    forgedPrompt,
    text,
    byTrimming,
  }: { readonly forgedPrompt: string; readonly text: string; readonly byTrimming: boolean },
): string {
  if (byTrimming) return 'the prompts differ in white space only'
  if (forgedPrompt.includes(text)) return 'the forged text is in the prompt unchanged; other places differ'
  return real === '' ? 'the prompts differ' : 'the template changes the forged text'
}

interface PlaceTrial {
  readonly form: Form
  readonly ask: Ask
  readonly specials: readonly string[]
  readonly text: string
  readonly real: Probe
  readonly realPrompt: string
}

/** By text where the whole turn is in the prompt; otherwise by the special tokens of the turn that are. */
function* tryPlace(
  place: PlaceName,
  { form, ask, specials, text, real, realPrompt }: PlaceTrial,
): Generator<Probe, PlaceForgery | null, Rendering> {
  let byToken: PlaceForgery | null = null
  const special = specials.filter((token) => token !== '' && text.includes(token))
  for (const [carrier, build] of PLACES[place].entries()) {
    const probe = build(form, text)
    const rendered = yield* ask(probe)
    if (rendered.kind === 'raised') continue
    const { text: prompt } = rendered
    if (prompt.includes(text)) return { place, carrier, probe, prompt, text, real, realPrompt, tokens: [] }
    const start = prompt.indexOf(MARK.left)
    const end = prompt.lastIndexOf(MARK.right)
    if (start < 0 || end < start) continue
    const shown = prompt.slice(start, end)
    const tokens = special.filter((token) => shown.includes(token))
    if (tokens.length > 0) byToken ??= { place, carrier, probe, prompt, text, real, realPrompt, tokens }
  }
  return byToken
}
