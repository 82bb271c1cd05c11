import { isDict, isList } from '@callspec/python'
import type { PyDict } from '@callspec/python'

import type { Question, Reply } from '../../implementation.ts'
import { builtInImplementation } from '../../in-process.ts'
import type { ServedTemplate } from './chat-template.ts'
import { withDatesOf } from './todays-date.ts'
import type { Dated } from './todays-date.ts'

/** Whether a server should put a default system message into a conversation that has none. Null: both are its choice. */
export type ExpectSystem = 'none' | 'default' | null

/** Looks at prompts of a server that differ from what is right. */
export interface PromptCheck {
  /** The prompt as it is to be judged, and what there is to say about it. */
  settle(question: Question, text: string): Promise<Reply>
}

/** The prompt of a conversation as the server writes it; null where it refuses. */
type Ask = (input: PyDict) => Promise<string | null>

/** What a check is made with. */
export interface CheckOptions {
  readonly expected: ExpectSystem
  /** The chat template that the server says it has. */
  readonly template: ServedTemplate | null
  readonly now: () => Date
}

/**
 * Tells a choice from a defect: a prompt that is right but for a default system message, the date of today or a switch for
 * thoughts is one, and is judged as if the choice were the other one, unless `expected` says what it should have been. Numbers that
 * are spelled otherwise are named. What is right is what callspec makes of the conversation: with the template of the server where
 * a case names that.
 */
export function promptCheck(ask: Ask, { expected, template, now }: CheckOptions): PromptCheck {
  const builtIn = builtInImplementation()
  let served: Promise<string | null> | null = null
  return {
    async settle(question, text) {
      const { input, profile } = question
      const isNamed = template !== null && profile === template.profile
      const render = async (asked: PyDict): Promise<string | null> =>
        isNamed ? template.render(asked) : ownText(builtIn.answer({ ...question, input: asked }))
      const own = await render(input)
      if (own === null || own === text) return judged(text)
      const near = nearest(text, { own, input, template, now: now() })
      if (near.isRight) return judged(own, ...near.notes)
      served ??= defaultOf(ask, input)
      if (hasSystem(input)) return judged(near.text, ...near.notes)
      const added = await served
      if (added !== null && (await render(withSystem(input, added))) === text) {
        const note = `adds a default system message, ${JSON.stringify(added)}`
        return expected === 'none' ? judged(text, `${note}: a defect`) : judged(own, `${note}: a choice`)
      }
      const left = await defaultOf(render, input)
      if (left !== null && (await ask(withSystem(input, left))) === own) {
        const note = `adds no default system message, where the format has ${JSON.stringify(left)}`
        return expected === 'default' ? judged(text, `${note}: a defect`) : judged(own, `${note}: a choice`)
      }
      return judged(near.text, ...near.notes)
    },
  }
}

/** What a prompt comes to once choices of the server that show in it are taken for those of the case. */
interface Near {
  readonly text: string
  readonly isRight: boolean
  readonly notes: readonly string[]
}

/** What tells a choice. */
interface Surroundings extends Pick<CheckOptions, 'template'> {
  readonly own: string
  readonly input: PyDict
  readonly now: Date
}

/** Takes today's date for that of the case, and thoughts that the server switches on for those that it leaves alone. */
function nearest(text: string, { own, input, template, now }: Surroundings): Near {
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

function judged(text: string, ...notes: readonly string[]): Reply {
  const value = new Map([['text', text]])
  return { kind: 'returned', value, ...(notes.length === 0 ? {} : { notes }) }
}

async function ownText(answer: Reply | Promise<Reply>): Promise<string | null> {
  const reply = await answer
  const text = reply.kind === 'returned' && isDict(reply.value) ? reply.value.get('text') : null
  return typeof text === 'string' ? text : null
}

const SOMETHING = 'QQZ'

/** What is said in the place of a system message where a conversation has none; null where nothing is. */
async function defaultOf(ask: Ask, input: PyDict): Promise<string | null> {
  const bare: PyDict = new Map(input).set('messages', [messageOf('user', 'Hi.')]).set('tools', [])
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
  return new Map(input).set('messages', [messageOf('system', text), ...(isList(messages) ? messages : [])])
}

function messageOf(role: string, content: string): PyDict {
  return new Map([
    ['role', role],
    ['content', content],
  ])
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** `prints 1.0 as 1` where two prompts differ in how numbers are spelled and in nothing else. */
function numbersNotes(right: string, text: string): readonly string[] {
  if (right.replace(NUMBER, '#') !== text.replace(NUMBER, '#')) return []
  const [wanted, got] = [right.match(NUMBER) ?? [], text.match(NUMBER) ?? []]
  // The same numbers at other places: something else is different.
  if (wanted.toSorted().join(' ') === got.toSorted().join(' ')) return []
  const other = [...new Set(wanted.flatMap((each, at) => (each === got[at] ? [] : [`${each} as ${got[at] ?? ''}`])))]
  return other.length === 0 ? [] : [`prints ${other.slice(0, 3).join(', ')}`]
}
