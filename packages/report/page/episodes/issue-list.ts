import type { TurnData } from '../../src/evaluation/episode-data.ts'
import { ISSUE_NAMES } from '../../src/evaluation/issue-names.ts'
import { element, say } from '../dom.ts'
import { textView } from '../text-view.ts'
import { labelName } from './names.ts'

/** So much of the place that an issue is about is quoted, in UTF-16 units. */
const LONGEST_QUOTE = 80

/** What a reader noted about a reply: each by its name, with its place and what stands there. */
export function issueList({ issues }: Pick<TurnData, 'issues'>, text: string): HTMLElement | null {
  if (issues.length === 0) return null
  return element(
    'ul',
    { class: 'issues' },
    issues.map(([code, said, start, end]) =>
      element('li', {}, [
        element('strong', { title: code }, [labelName(code, ISSUE_NAMES)]),
        ` ${start}–${end} `,
        element('q', {}, [textView(text.slice(start, Math.min(end, start + LONGEST_QUOTE))).textContent]),
        // The sentence is English, and the name says it in Chinese; a format of a user has codes without a name.
        Object.hasOwn(ISSUE_NAMES, code) ? say(` ${sentenceIn(said, start, end)}`, '') : ` ${said}`,
      ]),
    ),
  )
}

/** What a message says behind its place, which the page shows in its own way. */
function sentenceIn(message: string, start: number, end: number): string {
  const place = end > start ? `at ${start}–${end}: ` : `at ${start}: `
  const at = message.lastIndexOf(place)
  return at < 0 ? message : message.slice(at + place.length)
}
