import type { IssueItem } from '../reply/item.ts'
import type { Examined } from './examine-reply.ts'

/** What is said of a format that cannot find a call. */
export const NO_CALL = 'It finds no call.'

/** Why a format stands where it stands, in one sentence. */
export function explain(examined: Examined, { hasTools }: { readonly hasTools: boolean }): string {
  const { calls, error, harms, notes, left, broken } = examined
  if (error !== null) return `Its reference raises ${error.type} on the reply.`
  if (calls.length === 0) return broken > 0 ? `It finds no call, though one begins (${codesOf(harms)}).` : NO_CALL
  const issues = harms.length + notes.length === 0 ? 'no issue' : issuesText(examined)
  const rest = left === 0 ? 'nothing is left over' : `${left} ${left === 1 ? 'character is' : 'characters are'} text`
  return `It reads ${counted(calls.length, 'call')} with ${issues}; ${namesText(examined, hasTools)}; ${rest}.`
}

function issuesText({ harms, notes }: Examined): string {
  const parts = [
    ...(harms.length === 0 ? [] : [`${counted(harms.length, 'harm')} (${codesOf(harms)})`]),
    ...(notes.length === 0 ? [] : [`${counted(notes.length, 'note')} (${codesOf(notes)})`]),
  ]
  return parts.join(' and ')
}

function namesText({ calls, known }: Examined, hasTools: boolean): string {
  const kind = hasTools ? 'of a tool' : 'that a tool could have'
  if (calls.length === 1) return known === 1 ? `the name is one ${kind}` : `the name is none ${kind}`
  if (known === calls.length) return `the names are ${hasTools ? 'those of tools' : 'such as tools could have'}`
  return `${known} of the names ${known === 1 ? 'is one' : 'are such'} ${kind}`
}

/** So many different codes are named. */
const MOST_CODES = 3

function codesOf(issues: readonly IssueItem[]): string {
  const codes = [...new Set(issues.map(({ code }) => code))]
  return codes.length <= MOST_CODES ? codes.join(', ') : `${codes.slice(0, MOST_CODES).join(', ')}, …`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
