import type { CaseResult } from '@callspec/conformance'

import { explain } from './explain.ts'
import { chunksLine, inputLine } from './input-line.ts'

/** What a failed test says about its case; null when the test has not failed. */
export function failureText({ case: item, verdict, fixed }: CaseResult): string | null {
  if (fixed !== undefined) {
    return `passes although it is listed as a known failure (${fixed}). Take it off the list.`
  }
  const about = [
    ...inputLine(item.input.get('text')),
    ...chunksLine(item.input.get('chunks')),
    `  case      ${item.op}, ${item.where}`,
  ]
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
