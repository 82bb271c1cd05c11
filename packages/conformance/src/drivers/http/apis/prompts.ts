import { readRequest } from '@callspec/apis'
import type { Api as ApiName } from '@callspec/apis'
import { fromPlain } from '@callspec/python'
import type { PlainValue, PyDict } from '@callspec/python'
import { shortened } from '../../../comparison/visible.ts'
import type { Reading, ReadingContext } from './ask-reading.ts'
import { askReading } from './ask-reading.ts'
import type { ReadingFault } from './compare-readings.ts'

/** A conversation, and its prompts over some APIs compared. */
export interface PromptResult {
  readonly id: string
  /** Why there is nothing to compare: the server refuses the conversation over each API. Null if there is something. */
  readonly refused: string | null
  readonly faults: readonly ReadingFault[]
}

type Message = { readonly [member: string]: PlainValue }

const CLOCK = {
  type: 'function',
  function: {
    name: 'clock',
    description: 'The time in a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, offset: { type: 'number' } },
      required: ['city'],
    },
  },
}
const WEATHER = {
  type: 'function',
  function: {
    name: 'weather',
    description: '某地的天气。',
    parameters: { type: 'object', properties: { place: { type: 'string', enum: ['Oslo', '奥斯陆'] } } },
  },
}

const SYSTEM: Message = { role: 'system', content: 'Answer in one sentence.' }
const ASKED: Message = { role: 'user', content: 'What time is it in Oslo? 现在几点？' }

function called(calls: readonly (readonly [id: string, name: string, json: string])[], more: Message = {}): Message {
  const made = calls.map(([id, name, json]) => ({ id, type: 'function', function: { name, arguments: json } }))
  return { role: 'assistant', content: null, tool_calls: made, ...more }
}

function result(id: string, content: string): Message {
  return { role: 'tool', tool_call_id: id, content }
}

/** Conversations that every API can say, in the form of chat; each has a place where servers made different prompts of them. */
function conversations(): readonly (readonly [id: string, messages: readonly Message[], more?: Message])[] {
  const one = called([['aB1cD2eF3', 'clock', '{"city": "Oslo"}']])
  const noon = result('aB1cD2eF3', '{"time": "12:00"}')
  return [
    ['a question', [ASKED]],
    ['a system message', [SYSTEM, ASKED]],
    ['two tools', [SYSTEM, ASKED], { tools: [CLOCK, WEATHER] }],
    ['tools that are not to be called', [ASKED], { tools: [CLOCK], tool_choice: 'none' }],
    ['a tool that must be called', [ASKED], { tools: [CLOCK, WEATHER], tool_choice: 'required' }],
    ['one call at most', [ASKED], { tools: [CLOCK], parallel_tool_calls: false }],
    ['a call and its result', [ASKED, one, noon], { tools: [CLOCK] }],
    ['prose before a call', [ASKED, { ...one, content: 'Let me look.' }, noon], { tools: [CLOCK] }],
    [
      'a text of the user behind a result',
      [ASKED, one, noon, { role: 'user', content: 'And in Bergen?' }],
      { tools: [CLOCK] },
    ],
    [
      'two calls and their results',
      [
        ASKED,
        called([
          ['gH4iJ5kL6', 'clock', '{"city": "Oslo"}'],
          ['mN7oP8qR9', 'weather', '{"place": "奥斯陆"}'],
        ]),
        result('gH4iJ5kL6', '12:00'),
        result('mN7oP8qR9', 'snow'),
      ],
      { tools: [CLOCK, WEATHER] },
    ],
    ['an empty result', [ASKED, one, result('aB1cD2eF3', '')], { tools: [CLOCK] }],
    ['a thought before a call', [ASKED, { ...one, reasoning_content: 'A clock is needed.' }, noon], { tools: [CLOCK] }],
    [
      'the spelling of arguments',
      [ASKED, called([['sT1uV2wX3', 'clock', '{"offset":2.50,"city":"A\\u00f8"}']]), result('sT1uV2wX3', '1')],
      { tools: [CLOCK] },
    ],
    [
      'a second question',
      [
        SYSTEM,
        ASKED,
        one,
        noon,
        { role: 'assistant', content: 'It is noon.' },
        { role: 'user', content: 'Thanks. 再见' },
      ],
      { tools: [CLOCK] },
    ],
  ]
}

/**
 * The same conversations over each API: they must give one prompt. Where the server does not show it, the number of its tokens is compared.
 */
export async function* comparePrompts(
  context: ReadingContext,
  { apis, others }: { readonly apis: readonly ApiName[]; readonly others: PyDict },
): AsyncIterable<PromptResult> {
  for (const [id, messages, more = {}] of conversations()) {
    const body = fromPlain({ ...more, messages, max_tokens: 1n }) as PyDict
    const request = readRequest(body, 'chat')
    const prompts: Prompt[] = []
    for (const name of apis) prompts.push(promptOf(await askReading(context, { name, stream: false, request, others })))
    if (apis[0] === 'chat') prompts.splice(1, 0, ...(await templated(context, new Map([...body, ...others]))))
    const isRefused = prompts.every(({ problem }) => problem !== null)
    const refused = isRefused ? `${id}: ${prompts[0]?.problem ?? 'no prompt was made'}` : null
    yield { id, refused, faults: isRefused ? [] : promptFaults(prompts) }
  }
}

/** A prompt: as a text, as its number of tokens, or why it is not known. */
interface Prompt {
  readonly api: ApiName
  readonly text: string | null
  readonly tokens: number | null
  readonly problem: string | null
  /** What else than the API it is of. */
  readonly of?: string
}

function promptOf({ api, reply, problem, seen }: Reading): Prompt {
  const text = seen?.prompt ?? null
  // A prompt that was made counts, whatever the server makes of the reply, which is one token long.
  return { api, text, tokens: reply?.usage?.input ?? null, problem: text === null ? problem : null }
}

/** What llama-server's `/apply-template` makes of the request of chat; nothing for other servers. */
async function templated({ api, tap }: ReadingContext, body: PyDict): Promise<readonly Prompt[]> {
  if (tap?.how !== 'GET /slots') return []
  const answer = await api.post('/apply-template', Object.fromEntries(body))
  const text = answer.kind === 'json' && answer.status === 200 ? answer.value.get('prompt') : null
  return typeof text === 'string' ? [{ api: 'chat', text, tokens: null, problem: null, of: '/apply-template' }] : []
}

function promptFaults(prompts: readonly Prompt[]): readonly ReadingFault[] {
  const first = prompts.find(({ problem }) => problem === null)
  return prompts.flatMap(({ api, text, tokens, problem, of }) => {
    const fault = (message: string, transcript: string): ReadingFault => {
      const what = of === undefined ? message : `${of}: ${message}`
      return { api, stream: null, rule: 'prompt', message: what, event: 0, transcript }
    }
    if (problem !== null) return [fault(problem, '')]
    if (first === undefined) return []
    if (text !== null && first.text !== null)
      return text === first.text ? [] : [fault(...differenceOf(text, first.text))]
    if (tokens === null || first.tokens === null || tokens === first.tokens) return []
    return [fault(`${tokens} tokens instead of ${first.tokens}`, '')]
  })
}

const BEFORE = 12
const BEHIND = 40

function differenceOf(text: string, first: string): readonly [message: string, transcript: string] {
  let at = 0
  while (at < text.length && text[at] === first[at]) at += 1
  const from = Math.max(0, at - BEFORE)
  const [mine, theirs] = [text, first].map((each) => JSON.stringify(each.slice(from, at + BEHIND)))
  return [`from character ${at + 1}: ${mine} instead of ${theirs}`, shortened(text, MAX_PROMPT)]
}

const MAX_PROMPT = 20_000
