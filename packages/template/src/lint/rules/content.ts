import { MARK } from '../probe.ts'
import type { Rule, Sighting, View } from '../report.ts'
import { gapAfter, matchSpot, spotOf } from '../report.ts'
import { refusal } from './refused.ts'

const EMPTY_TEXT = "Give content '' where the API has null: a server has to change it before it renders."

/** How the texts of messages come out. */
export const CONTENT_RULES: readonly Rule[] = [
  {
    id: 'null-content-refused',
    severity: 'error',
    about: 'A call with content null, as in the API, is refused.',
    remedy: `${EMPTY_TEXT} In the template: \`message.content or ''\`.`,
    reports: ['https://github.com/janhq/jan/issues/6123', 'https://github.com/Blaizzy/mlx-vlm/pull/2291'],
    check: (view) => refusal(view, 'content-null', 'content-empty'),
  },
  {
    id: 'absent-content-refused',
    severity: 'warning',
    about: 'A call in a message without content is refused, while content null is not.',
    remedy: `Give content '' or null with every message. In the template: \`message.content is defined\`.`,
    reports: ['https://github.com/huggingface/transformers/pull/45348'],
    check: (view) => (view.raise('content-null') === null ? refusal(view, 'content-absent', 'call') : null),
  },
  {
    id: 'null-content-printed',
    severity: 'error',
    about: 'Content null next to a call is printed as a word.',
    remedy: EMPTY_TEXT,
    reports: [],
    check: checkPrinted,
  },
  {
    id: 'text-lost-with-call',
    severity: 'error',
    about: "The assistant's text next to a call is lost.",
    remedy: 'Print the content of a message with calls, too. Until then, put the text into a separate message.',
    reports: [],
    check: (view) => {
      const text = view.text('text-with-call')
      if (text === null || text.includes(MARK.text) || !text.includes(MARK.argument)) return null
      return {
        probe: 'text-with-call',
        detail: 'The message has text and a call; only the call is shown.',
        spot: spotOf(text, MARK.argument),
      }
    },
  },
  {
    id: 'parts-refused',
    severity: 'info',
    about: 'Content as a list of parts is refused.',
    remedy: 'Join the parts of type text before rendering, as most servers do.',
    reports: [],
    check: (view) => refusal(view, 'parts', 'question') ?? refusal(view, 'parts-in-result', 'call'),
  },
  {
    id: 'parts-printed-raw',
    severity: 'info',
    about: 'Content as a list of parts is printed as a list.',
    remedy: 'Join the parts of type text before rendering, as most servers do.',
    reports: [],
    check: (view) => printedParts(view, 'parts', MARK.partOne) ?? printedParts(view, 'parts-in-result', MARK.result),
  },
  {
    id: 'escaped-text',
    severity: 'error',
    about: 'Characters are written as escapes, such as &lt; or \\u5317, which the messages do not contain.',
    remedy: 'Remove `| escape`, `| e` and ASCII-only JSON; use the `tojson` that does not escape for HTML.',
    reports: ['https://github.com/mistralai/mistral-common/issues/311'],
    check: (view) => checkEscaped(view),
  },
  {
    id: 'user-text-altered',
    severity: 'info',
    about: "White space around a user's text is removed.",
    remedy: 'Nothing, unless white space matters, as in code.',
    reports: [],
    check: (view) => {
      const text = view.text('padded')
      const spot = text === null ? null : spotOf(text, MARK.left)
      if (text === null || spot === null || text.includes(`  \n ${MARK.left} then ${MARK.right} \n\n `)) return null
      return { probe: 'padded', detail: 'White space around the text is missing.', spot }
    },
  },
]

function checkPrinted(view: View): Sighting | null {
  const text = view.text('content-null')
  const usual = view.text('content-empty') ?? view.text('content-absent')
  if (text === null || usual === null || countMarks(text) <= countMarks(usual)) return null
  const from = gapAfter(text, [MARK.user]).start
  const spot = matchSpot(text.slice(from), NULL)
  return {
    probe: 'content-null',
    detail: 'The word is in the place of an empty content.',
    spot: spot === null ? null : { start: spot.start + from, end: spot.end + from },
  }
}

const NULL = /\b(?:None|null)\b/

function countMarks(text: string): number {
  return text.split(NULL).length
}

function printedParts(view: View, probe: string, mark: string): Sighting | null {
  const text = view.text(probe)
  const spot =
    text === null ? null : matchSpot(text, new RegExp(`\\{[^{}]*['"]text['"]\\s*:\\s*['"]${mark}['"][^{}]*\\}`))
  return spot === null ? null : { probe, detail: 'The list is printed as in the request.', spot }
}

const ESCAPED_CHARACTER = /&(?:lt|gt|amp|quot|#\d+|#x[\da-f]+);|\\u[\da-f]{4}/i

function checkEscaped(view: View): Sighting | null {
  for (const probe of ['characters', 'characters-in-call', 'tool-characters']) {
    const text = view.text(probe)
    if (text === null) continue
    const found = new RegExp(`${MARK.left}[^]{0,200}?${MARK.right}`).exec(text)
    const escape = found === null ? null : ESCAPED_CHARACTER.exec(found[0])
    if (found === null || escape === null) continue
    const start = found.index + escape.index
    return { probe, detail: `A character is shown as ${escape[0]}.`, spot: { start, end: start + escape[0].length } }
  }
  const text = view.text('tools')
  const spot = text === null ? null : matchSpot(text, /&(?:quot|#34);(?=find_trains)/)
  return spot === null ? null : { probe: 'tools', detail: 'The quotes of the tools are shown as escapes.', spot }
}
