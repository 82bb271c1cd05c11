import { visible } from '@callspec/conformance'
import type { CaseResult } from '@callspec/conformance'

import { explain } from './explain.ts'

/** What a failed test says about its case; null when the test has not failed. */
export function failureText({ case: item, verdict, fixed }: CaseResult): string | null {
  if (fixed !== undefined) {
    return `passes although it is listed as a known failure (${fixed}). Take it off the list.`
  }
  const about = [inputLine(item.input.get('text')), `  case      ${item.op}, ${item.where}`].filter(
    (line) => line !== '',
  )
  switch (verdict.kind) {
    case 'failed':
      return [explain('another answer than expected', verdict.difference), ...about].join('\n')
    case 'errored':
      return [`no answer: ${verdict.reason}`, ...about].join('\n')
    case 'passed':
    case 'skipped':
      return null
  }
}

const SHOWN_INPUT = 200

function inputLine(text: unknown): string {
  if (typeof text !== 'string') return ''
  const characters = [...visible(text.slice(0, SHOWN_INPUT * 2))]
  const isCut = characters.length > SHOWN_INPUT || text.length > SHOWN_INPUT * 2
  return `  input     ${isCut ? `${characters.slice(0, SHOWN_INPUT - 1).join('')}…` : characters.join('')}`
}
