import { isList } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import type { Sample } from './sample.ts'
import { turnsOf } from './sample.ts'

/** Chooses the turns whose prompts are rendered, so that the work stays a small multiple of rendering everything once. */
export interface TurnChooser {
  /** The turns of the sample in the order in which they should be checked. */
  order(sample: Sample): readonly number[]
  /** Whether another prompt may be rendered. */
  mayGoOn(): boolean
  earn(characters: number): void
  spend(characters: number): void
}

/** Characters that are free at the beginning, so that small data sets are checked completely. */
const START = 2_000_000
/** Characters of prompts per character of whole conversations. */
const SHARE = 1

/** In one of so many conversations late turns come first: they cost most, but are trained on and served most. */
const LATE = 4

/**
 * Turns of a shape that was not seen before come first, since a template treats turns of one shape alike; then the others,
 * mostly from the first one on, which are cheap.
 */
export function createTurnChooser({ everyTurn }: { readonly everyTurn: boolean }): TurnChooser {
  let [credit, count] = [START, 0]
  const seen = new Set<string>()
  const isFresh = (sample: Sample, index: number): boolean => {
    const before = seen.size
    return seen.add(shapeAt(sample, index)).size > before
  }
  return {
    order: (sample) => {
      count += 1
      const turns = count % LATE === 0 ? turnsOf(sample).toReversed() : turnsOf(sample)
      const fresh = new Set(turns.filter((index) => isFresh(sample, index)))
      return [...fresh, ...turns.filter((index) => !fresh.has(index))]
    },
    mayGoOn: () => everyTurn || credit > 0,
    earn: (characters) => {
      credit += characters * SHARE
    },
    spend: (characters) => {
      credit -= characters
    },
  }
}

/** What templates distinguish: the neighbouring roles, the parts of the message, and whether a user's message follows. */
function shapeAt({ messages, tools }: Sample, index: number): string {
  const later = messages.slice(index + 1).some((message) => message.get('role') === 'user')
  const around = [index - 1, index, index + 1].map((at) => partsOf(messages[at]))
  return JSON.stringify([around, later, tools !== null, index > 2])
}

function partsOf(message: PyDict | undefined): string {
  if (message === undefined) return ''
  const content = message.get('content')
  const calls = message.get('tool_calls')
  const kind =
    typeof content === 'string'
      ? content === ''
        ? 'empty'
        : content.includes('</think>')
          ? 'thought'
          : 'text'
      : 'other'
  return [
    String(message.get('role')),
    kind,
    isList(calls) ? Math.min(calls.length, 2) : 0,
    message.has('reasoning_content'),
  ].join(' ')
}
