import { isList } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import type { Sample } from './sample.ts'
import { turnsOf } from './sample.ts'

/** Decides which turns are rendered as prompts, so that the work stays a small multiple of rendering everything once. */
export interface TurnChooser {
  /** Turns of the sample in the order in which they should be looked at. */
  order(sample: Sample): readonly number[]
  /** Whether there is work left for another prompt. */
  mayGoOn(): boolean
  earn(characters: number): void
  spend(characters: number): void
}

/** What is free in the beginning: small data sets are looked at whole. */
const START = 2_000_000
/** Characters of prompts per character of whole conversations. */
const SHARE = 1

/** In one conversation of so many, late turns come first: they cost most, but are what is trained on and served most. */
const LATE = 4

/**
 * Takes turns first that stand in a surrounding which was not seen before, since a template treats turns of one shape alike;
 * then mostly from the first one on, of which many can be afforded.
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

/** What templates look at: the roles around, what the message has, and whether somebody asks again later. */
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
