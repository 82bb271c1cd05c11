import type { Rendering } from '../template.ts'
import { FORMS, USUAL } from './form.ts'
import type { Form } from './form.ts'
import { MARK } from './marks.ts'
import type { Probe } from './probe.ts'
import { callProbe, PLAIN_PROBES, probesIn, toolsProbe } from './probes.ts'
import { forgeryOf, TURNS_TO_FORGE } from './rules/tokens.ts'
import type { Shown } from './view.ts'

/** What came of all conversations. */
export interface Conversations {
  readonly form: Form
  readonly shown: ReadonlyMap<string, Shown>
}

/**
 * Asks for every conversation to be rendered, one after the other: yields a probe and takes what was rendered of it. Which
 * come later depends on what came before: first the form is found out in which the template takes calls.
 */
export function* showConversations(): Generator<Probe, Conversations, Rendering> {
  const shown = new Map<string, Shown>()
  const ask = function* (probe: Probe): Generator<Probe, Rendering, Rendering> {
    const rendering = yield probe
    shown.set(probe.id, { probe, rendering })
    return rendering
  }
  for (const probe of PLAIN_PROBES) yield* ask(probe)
  if (isHopeless(shown)) return { form: USUAL, shown }
  const form = yield* findForm(ask)
  for (const probe of [toolsProbe(form), callProbe(form), ...probesIn(form)]) yield* ask(probe)
  const turns = yield* ask(TURNS_TO_FORGE)
  const forged = turns.kind === 'rendered' ? forgeryOf(turns.text) : null
  if (forged !== null) yield* ask(forged)
  return { form, shown }
}

/** Limits are reached as fast by every other conversation. */
function isHopeless(shown: ReadonlyMap<string, Shown>): boolean {
  return [...shown.values()].every(
    ({ rendering }) => rendering.kind === 'raised' && /Limit|Syntax|^VariablesError$/.test(rendering.error.type),
  )
}

type Ask = (probe: Probe) => Generator<Probe, Rendering, Rendering>

function* findForm(ask: Ask): Generator<Probe, Form, Rendering> {
  const tools = yield* findTools(ask)
  let rendered: Form | null = null
  for (const form of FORMS) {
    const tried = { ...form, tools }
    const text = yield* textOf(ask, callProbe(tried))
    if (text === null) continue
    if (text.includes(MARK.argument) && !isRepr(text)) return tried
    rendered ??= tried
  }
  return rendered ?? { ...USUAL, tools }
}

/** An object printed as Python prints it: the template wants the text. */
function isRepr(text: string): boolean {
  return text.includes(`{'station': '${MARK.argument}'}`)
}

function* findTools(ask: Ask): Generator<Probe, Form['tools'], Rendering> {
  for (const tools of ['wrapped', 'bare'] as const) {
    if ((yield* textOf(ask, toolsProbe({ ...USUAL, tools }))) !== null) return tools
  }
  return 'none'
}

function* textOf(ask: Ask, probe: Probe): Generator<Probe, string | null, Rendering> {
  const rendering = yield* ask(probe)
  return rendering.kind === 'rendered' ? rendering.text : null
}
