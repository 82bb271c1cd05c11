import { createHash } from 'node:crypto'
import { isDict, isList } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { compileTemplate } from '@callspec/template'
import type { Question, Reply } from '../../implementation.ts'
import { builtInImplementation } from '../../built-in/implementation.ts'
import type { Api } from './api.ts'

/** Whether a server should put a default system message into a conversation that has none. Null: both are its choice. */
export type ExpectSystem = 'none' | 'default' | null

/** Looks at prompts of a server that differ from what is right. */
export interface PromptCheck {
  /** The prompt as it is to be judged, and what there is to say about it. */
  settle(question: Question, text: string): Promise<Reply>
  /** Why the server is not asked for prompts of this profile; null where it is. */
  whyNotAsked(profile: string): string | null
}

/** The prompt of a conversation as the server writes it; null where it refuses. */
type RequestPrompt = (input: PyDict) => Promise<string | null>

export interface CheckOptions {
  readonly expected: ExpectSystem
  /** The chat template that the server says it has. */
  readonly template: ServedTemplate | null
  readonly now: () => Date
}

/**
 * Distinguishes a choice from a defect: a prompt that is right but for a default system message, the date of today or a switch for
 * thoughts is one, and is judged as if the choice were the other one, unless `expected` says what it should have been. Numbers that
 * are spelled otherwise are named. What is right is what callspec makes of the conversation: with the template of the server where
 * a case names that.
 */
export function promptCheck(ask: RequestPrompt, { expected, template, now }: CheckOptions): PromptCheck {
  const builtIn = builtInImplementation()
  let served: Promise<string | null> | null = null
  return {
    whyNotAsked: (profile) => whyNotAsked(profile, template),
    async settle(question, text) {
      const { input, profile } = question
      const isNamed = template !== null && profile === template.profile
      const render = async (asked: PyDict): Promise<string | null> =>
        isNamed ? template.render(asked) : ownText(builtIn.answer({ ...question, input: asked }))
      const own = await render(input)
      if (own === null || own === text) return judgedPrompt(text)
      const near = nearest(text, { own, input, template, now: now() })
      if (near.isRight) return judgedPrompt(own, ...near.notes)
      served ??= defaultOf(ask, input)
      if (hasSystem(input)) return judgedPrompt(near.text, ...near.notes)
      const added = await served
      if (added !== null && (await render(withSystem(input, added))) === text) {
        const note = `adds a default system message, ${JSON.stringify(added)}`
        return expected === 'none' ? judgedPrompt(text, `${note}: a defect`) : judgedPrompt(own, `${note}: a choice`)
      }
      const left = await defaultOf(render, input)
      if (left !== null && (await ask(withSystem(input, left))) === own) {
        const note = `adds no default system message, where the format has ${JSON.stringify(left)}`
        return expected === 'default' ? judgedPrompt(text, `${note}: a defect`) : judgedPrompt(own, `${note}: a choice`)
      }
      return judgedPrompt(near.text, ...near.notes)
    },
  }
}

/** What a prompt comes to once choices of the server that show in it are taken for those of the case. */
interface Near {
  readonly text: string
  readonly isRight: boolean
  readonly notes: readonly string[]
}

interface PromptContext extends Pick<CheckOptions, 'template'> {
  readonly own: string
  readonly input: PyDict
  readonly now: Date
}

/** Takes today's date for that of the case, and thoughts that the server switches on for those that it leaves alone. */
function nearest(text: string, { own, input, template, now }: PromptContext): Near {
  const thinking = template?.render(input) === own ? template.render(new Map(input).set(SWITCH, true)) : null
  const dated = withDatesOf(own, text, now)
  const dates = input.has('today') ? [] : dateNotes(dated)
  if (dated.text === own) return { text: own, isRight: true, notes: dates }
  if (thinking !== null && thinking !== own) {
    const notes = [...dates, `switches thoughts on ("${SWITCH}"): a choice`]
    if (dated.text === thinking) return { text: own, isRight: true, notes }
    const numbers = numbersNotes(thinking, dated.text)
    if (numbers.length > 0) return { text: dated.text, isRight: false, notes: [...notes, ...numbers] }
  }
  return { text: dated.text, isRight: false, notes: [...dates, ...numbersNotes(own, dated.text)] }
}

/** The variable by which servers ask a chat template for thoughts, on unless a request says otherwise. */
const SWITCH = 'enable_thinking'

/** A template that knows no date of today has one of its own. */
function dateNotes({ replaced }: Dated): readonly string[] {
  return replaced.length === 0 ? [] : [`prints the date of today in the place of "${replaced.join('", "')}": a choice`]
}

function judgedPrompt(text: string, ...notes: readonly string[]): Reply {
  const value = new Map([['text', text]])
  return { kind: 'returned', value, ...(notes.length === 0 ? {} : { notes }) }
}

async function ownText(answer: Reply | Promise<Reply>): Promise<string | null> {
  const reply = await answer
  const text = reply.kind === 'returned' && isDict(reply.value) ? reply.value.get('text') : null
  return typeof text === 'string' ? text : null
}

const SOMETHING = 'QQZ'

/** The default system message of a conversation without one; null if nothing is added. */
async function defaultOf(ask: RequestPrompt, input: PyDict): Promise<string | null> {
  const bare: PyDict = new Map(input).set('messages', [plainMessage('user', 'Hi.')]).set('tools', [])
  const [plain, marked] = [await ask(bare), await ask(withSystem(bare, SOMETHING))]
  const at = marked?.indexOf(SOMETHING) ?? -1
  if (plain === null || marked === null || at < 0) return null
  const [before, behind] = [marked.slice(0, at), marked.slice(at + SOMETHING.length)]
  const isThere = plain.length > before.length + behind.length && plain.startsWith(before) && plain.endsWith(behind)
  return isThere ? plain.slice(before.length, plain.length - behind.length) : null
}

function hasSystem(input: PyDict): boolean {
  const messages = input.get('messages')
  return isList(messages) && messages.some((message) => isDict(message) && message.get('role') === 'system')
}

function withSystem(input: PyDict, text: string): PyDict {
  const messages = input.get('messages')
  return new Map(input).set('messages', [plainMessage('system', text), ...(isList(messages) ? messages : [])])
}

function plainMessage(role: string, content: string): PyDict {
  return new Map([
    ['role', role],
    ['content', content],
  ])
}

const NUMBERS_IN_TEXT = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** `prints 1.0 as 1` where two prompts differ in how numbers are spelled and in nothing else. */
function numbersNotes(right: string, text: string): readonly string[] {
  if (right.replace(NUMBERS_IN_TEXT, '#') !== text.replace(NUMBERS_IN_TEXT, '#')) return []
  const [wanted, got] = [right.match(NUMBERS_IN_TEXT) ?? [], text.match(NUMBERS_IN_TEXT) ?? []]
  // The same numbers at other places: something else is different.
  if (wanted.toSorted().join(' ') === got.toSorted().join(' ')) return []
  const other = [...new Set(wanted.flatMap((each, at) => (each === got[at] ? [] : [`${each} as ${got[at] ?? ''}`])))]
  return other.length === 0 ? [] : [`prints ${other.slice(0, 3).join(', ')}`]
}

export interface ServedTemplate {
  /** Under which its prompts are asked for: `chat-template@` and the beginning of the sha256 of its text. */
  readonly profile: string
  /** What transformers makes of a conversation with it, on the day that `today` names; null where it refuses. */
  render(input: PyDict): string | null
}

const PREFIX = 'chat-template@'
/** Digits of a sha256 in the name of a profile. */
const DIGITS = 12

function namesTemplate(profile: string): boolean {
  return profile.startsWith(PREFIX)
}

/** What a server shows at /props, as a llama-server does; null where it shows no template. */
export async function servedTemplate(api: Api): Promise<ServedTemplate | null> {
  const answer = await api.get('/props')
  const text = answer.kind === 'json' && answer.status === 200 ? answer.value.get('chat_template') : null
  return typeof text === 'string' && text !== '' ? templateOf(text) : null
}

/** Why the prompts of a profile cannot be asked of a server; null where they can. What a server does not say, its user knows. */
function whyNotAsked(profile: string, served: ServedTemplate | null): string | null {
  if (!namesTemplate(profile) || served === null || served.profile === profile) return null
  return `the server has another chat template: ${served.profile}`
}

function templateOf(text: string): ServedTemplate {
  const template = compileTemplate(text)
  return {
    profile: PREFIX + createHash('sha256').update(text).digest('hex').slice(0, DIGITS),
    render(input) {
      const tools = input.get('tools') ?? null
      const hasTools = Array.isArray(tools) && tools.length > 0
      const variables = new Map([['add_generation_prompt', true], ...input, ['tools', hasTools ? tools : null]])
      const now = new Date(`${String(input.get('today'))}T12:00:00Z`)
      const made = template.render(variables, Number.isNaN(now.getTime()) ? {} : { now })
      return made.kind === 'rendered' ? made.text : null
    },
  }
}

const MONTH_NAMES = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
]
const MONTH = MONTH_NAMES.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join('|')

const DATE = new RegExp(
  String.raw`\b(?:\d{4}-\d{2}-\d{2}|\d{1,2} (?:${MONTH}) \d{4}|(?:${MONTH}) \d{1,2}, \d{4})\b`,
  'g',
)

const DAY_MS = 86_400_000

/** A prompt with the dates of another one in the places of today's, and which of them it got. */
interface Dated {
  readonly text: string
  readonly replaced: readonly string[]
}

/**
 * The prompt as it would be on the day of `right`: each date in it that is today's, wherever its server lives, becomes the one that
 * is in its place in `right`. If the two have a different number of dates, nothing changes.
 */
function withDatesOf(right: string, text: string, now: Date): Dated {
  const wanted = right.match(DATE) ?? []
  const got = text.match(DATE) ?? []
  if (wanted.length !== got.length) return { text, replaced: [] }
  const todays = new Set([-1, 0, 1].flatMap((days) => spellings(new Date(now.getTime() + days * DAY_MS))))
  const replaced: string[] = []
  let at = -1
  const dated = text.replace(DATE, (date) => {
    at += 1
    const other = wanted[at] ?? date
    if (other === date || !todays.has(date)) return date
    replaced.push(other)
    return other
  })
  return { text: dated, replaced }
}

function spellings(day: Date): readonly string[] {
  const [year, month, date] = [day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()]
  const names = [MONTH_NAMES[month] ?? '', (MONTH_NAMES[month] ?? '').slice(0, 3)]
  const numbers = [String(date), String(date).padStart(2, '0')]
  const inWords = names.flatMap((name) =>
    numbers.flatMap((number) => [`${number} ${name} ${year}`, `${name} ${number}, ${year}`]),
  )
  return [day.toISOString().slice(0, 10), ...inWords]
}
