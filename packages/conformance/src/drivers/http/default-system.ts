import { isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

import type { Question, Reply } from '../../implementation.ts'
import { builtInImplementation } from '../../in-process.ts'

/** Whether a server should put a default system message into a conversation that has none. Null: both are its choice. */
export type ExpectSystem = 'none' | 'default' | null

/** Looks at prompts of a server that differ from what is right. */
export interface PromptCheck {
  /** The prompt as it is to be judged, and what there is to say about it. */
  settle(question: Question, text: string): Promise<Reply>
}

/** The prompt of a conversation as the server writes it; null where it refuses. */
type Ask = (input: PyDict) => Promise<string | null>

/**
 * Tells a choice from a defect: a prompt that is right but for a default system message is one, and is judged as if the
 * choice were the other one, unless `expected` says what it should have been. Numbers that are spelled otherwise are named.
 */
export function promptCheck(ask: Ask, expected: ExpectSystem): PromptCheck {
  const builtIn = builtInImplementation()
  let served: Promise<string | null> | null = null
  return {
    async settle(question, text) {
      const own = await ownText(builtIn.answer(question))
      if (own === null || own === text) return judged(text)
      const render = (input: PyDict): Promise<string | null> => ownText(builtIn.answer({ ...question, input }))
      served ??= defaultOf(ask)
      if (hasSystem(question.input)) return judged(text, numbersNote(own, text))
      const added = await served
      if (added !== null && (await render(withSystem(question.input, added))) === text) {
        const note = `adds a default system message, ${JSON.stringify(added)}`
        return expected === 'none' ? judged(text, `${note}: a defect`) : judged(own, `${note}: a choice`)
      }
      const left = await defaultOf(render)
      if (left !== null && (await ask(withSystem(question.input, left))) === own) {
        const note = `adds no default system message, where the format has ${JSON.stringify(left)}`
        return expected === 'default' ? judged(text, `${note}: a defect`) : judged(own, `${note}: a choice`)
      }
      return judged(text, numbersNote(own, text))
    },
  }
}

function judged(text: string, note: string | null = null): Reply {
  const value = new Map([['text', text]])
  return { kind: 'returned', value, ...(note === null ? {} : { notes: [note] }) }
}

async function ownText(answer: Reply | Promise<Reply>): Promise<string | null> {
  const reply = await answer
  const text = reply.kind === 'returned' && isDict(reply.value) ? reply.value.get('text') : null
  return typeof text === 'string' ? text : null
}

const SOMETHING = 'QQZ'

/** What is said in the place of a system message where a conversation has none; null where nothing is. */
async function defaultOf(ask: Ask): Promise<string | null> {
  const bare: PyDict = new Map<string, PyValue>([
    ['messages', [messageOf('user', 'Hi.')]],
    ['tools', []],
  ])
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
function numbersNote(right: string, text: string): string | null {
  if (right.replace(NUMBER, '#') !== text.replace(NUMBER, '#')) return null
  const [wanted, got] = [right.match(NUMBER) ?? [], text.match(NUMBER) ?? []]
  // The same numbers at other places: something else is different.
  if (wanted.toSorted().join(' ') === got.toSorted().join(' ')) return null
  const other = [...new Set(wanted.flatMap((each, at) => (each === got[at] ? [] : [`${each} as ${got[at] ?? ''}`])))]
  return other.length === 0 ? null : `prints ${other.slice(0, 3).join(', ')}`
}
