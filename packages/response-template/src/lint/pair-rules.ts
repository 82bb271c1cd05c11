import type { PyDict, PyValue } from '@callspec/python'
import { roundTrip, turnEnd } from '../roundtrip/round-trip.ts'
import type { RenderPrompt, RoundTrip } from '../roundtrip/round-trip.ts'
import { roundTripCases } from '../roundtrip/messages.ts'
import { TemplateRaise } from '../template/fault.ts'
import { anchorEnd, readReply } from '../template/read-reply.ts'
import type { ResponseTemplate } from '../template/response-template.ts'
import type { Sighting } from './field-rules.ts'
import type { ResponseRuleId } from './rules.ts'

/** Messages that every pair of templates should give back. Others depend on the format. */
const PLAIN_CASES = new Set([
  ...[
    'plain',
    'lines',
    'thought and text',
    'one call',
    'no arguments',
    'text and call',
    'thought and call',
    'two calls',
  ],
])

/** What is wrong between the chat template and the response template of a model. */
export async function checkPair(template: ResponseTemplate, render: RenderPrompt): Promise<readonly Sighting[]> {
  const end = await turnEnd(render)
  const trips: RoundTrip[] = []
  for (const one of roundTripCases())
    if (PLAIN_CASES.has(one.id)) trips.push(await roundTrip(one, { render, template }, end))
  const prompt = await render(conversation([QUESTION], true))
  if (prompt.kind === 'raised') return []
  return [...anchors(template, prompt.text), ...(await thoughtName(template, render)), ...fromTrips(trips)]
}

function seen(rule: ResponseRuleId, detail: string, trip: RoundTrip | null): Sighting {
  const { written = null, result = null } = trip ?? {}
  const witness =
    written === null || result === null ? null : { text: written.reply, chunks: null, result, other: null }
  return { rule, field: null, detail, witness }
}

const QUESTION: PyDict = new Map<string, PyValue>([
  ['role', 'user'],
  ['content', 'CALLSPECQZ'],
])

function conversation(messages: readonly PyValue[], asks: boolean): PyDict {
  return new Map<string, PyValue>([
    ['messages', messages],
    ['tools', null],
    ['add_generation_prompt', asks],
  ])
}

/** A reply as it follows this prompt: a thought if the prompt has opened one, and a text. */
function afterPrompt(template: ResponseTemplate, prompt: string, rule: ResponseRuleId, detail: string): Sighting {
  const text = 'Hm.</think>Noon.'
  const result = readReply(template, text, { prefix: prompt })
  return { rule, field: null, detail, witness: { text, chunks: null, result, other: null } }
}

/** Where the anchor ends; `unknown` for a pattern that needs too much work, which round trips report. */
function endOfAnchor(template: ResponseTemplate, prompt: string): number | null | 'unknown' {
  try {
    return anchorEnd(template.anchor, prompt)
  } catch (error) {
    if (error instanceof TemplateRaise) return 'unknown'
    throw error
  }
}

function startOfReply(template: ResponseTemplate, whole: string): number {
  const end = endOfAnchor(template, whole)
  return typeof end === 'number' ? end : whole.indexOf(THOUGHT)
}

function anchors(template: ResponseTemplate, prompt: string): readonly Sighting[] {
  const end = endOfAnchor(template, prompt)
  if (end === 'unknown') return []
  if (end === null)
    return [
      afterPrompt(
        template,
        prompt,
        'anchor-not-in-prompt',
        `The prompt ends with ${JSON.stringify(prompt.slice(-60))}.`,
      ),
    ]
  const before = prompt.slice(0, end)
  const eaten = template.fields
    .flatMap(({ open }) => (open?.kind === 'literals' ? open.literals : []))
    .find((literal) => before.endsWith(literal))
  return eaten === undefined
    ? []
    : [afterPrompt(template, prompt, 'anchor-eats-opener', `The anchor ends with the opener ${eaten}.`)]
}

/** Names under which chat templates and response templates have thoughts. */
const THOUGHT_NAMES = ['reasoning_content', 'thinking', 'reasoning'] as const
const THOUGHT = 'THOUGHTQZ of the model.'

async function thoughtName(template: ResponseTemplate, render: RenderPrompt): Promise<readonly Sighting[]> {
  const own = template.fields.map(({ name }) => name).filter((name) => THOUGHT_NAMES.some((known) => known === name))
  if (own.length === 0) return []
  const read: string[] = []
  for (const name of THOUGHT_NAMES) if ((await rewritten(render, name)).includes(THOUGHT)) read.push(name)
  const lost = own.filter((name) => !read.includes(name))
  if (read.length === 0 || lost.length === 0) return []
  const whole = await rewritten(render, read[0] ?? '')
  const text = whole.slice(startOfReply(template, whole))
  const result = readReply(template, text, { prefix: '' })
  const detail = `The response template writes ${lost.join(', ')}, the chat template reads ${read.join(', ')}.`
  return [
    { rule: 'thought-name', field: lost[0] ?? null, detail, witness: { text, chunks: null, result, other: null } },
  ]
}

/** A conversation whose answer has a thought of this name; empty where the chat template refuses it. */
async function rewritten(render: RenderPrompt, name: string): Promise<string> {
  const answer: PyDict = new Map<string, PyValue>([
    ['role', 'assistant'],
    ['content', 'Noon.'],
    [name, THOUGHT],
  ])
  const rendering = await render(conversation([QUESTION, answer], false))
  return rendering.kind === 'rendered' ? rendering.text : ''
}

function fromTrips(trips: readonly RoundTrip[]): readonly Sighting[] {
  const found: Sighting[] = []
  const failed = trips.filter(({ verdict }) => verdict === 'differs' || verdict === 'raises')
  const [first] = failed
  if (first !== undefined)
    found.push(seen('roundtrip', `${failed.length} of ${trips.length} messages do not come back: ${first.id}.`, first))
  const broken = trips.filter(({ written }) => written !== null && !written.isPromptPrefix)
  if (broken[0] !== undefined) {
    found.push(
      seen(
        'prompt-not-prefix',
        `${broken.length} of ${trips.length} conversations do not begin with their prompt: ${broken[0].id}.`,
        broken[0],
      ),
    )
  }
  return found
}
