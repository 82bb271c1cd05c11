import { isDict, isList } from '@callspec/python'
import { formatNamed, tokensInText } from '@callspec/core'
import type { Conversation, TokenInText } from '@callspec/core'
import type { ChosenFormat } from '../formats.ts'
import type { RequestFile } from '../request/request-file.ts'
import { UsageError } from '../usage-error.ts'
import type { Rendering } from './prompt.ts'

/** More places are counted, not listed. */
const LISTED = 20

/**
 * The places where a text of a request spells a marker of the format.
 *
 * @throws UsageError for a format of the user, whose markers nobody knows
 */
export function findTokens(file: RequestFile, chosen: ChosenFormat, rendering: Rendering): readonly TokenInText[] {
  const format = chosen.kind === 'format' ? chosen.format : chosen.kind === 'built-in' ? formatNamed(chosen.id) : null
  if (format === null)
    throw new UsageError('--lint and --refuse-tokens need a format of callspec: the markers of others are not known.')
  return tokensInText(format, conversationIn(file), rendering.kind === 'parts' ? rendering.parts : [])
}

/** As far as texts are concerned; what is wrong with it was said when it was rendered. */
function conversationIn({ members }: RequestFile): Conversation {
  const [messages, tools, own] = ['messages', 'tools', 'conversation'].map((key) => members.get(key)?.value ?? null)
  return {
    messages: isList(messages) ? messages.filter(isDict) : [],
    tools: isList(tools) ? tools : null,
    options: new Map([['conversation', own ?? null]]),
  }
}

/** A line for each place, without the name of the program. */
export function describeTokens(found: readonly TokenInText[], name: string): readonly string[] {
  const lines = found.slice(0, LISTED).map((each) => `${name}: token-in-text: ${placeOf(each)}`)
  const rest = found.length - lines.length
  return rest === 0 ? lines : [...lines, `${name}: token-in-text: ${rest} more`]
}

/** One line for all of them. */
export function refusalOf([first, ...rest]: readonly [TokenInText, ...TokenInText[]], name: string): string {
  const others = rest.length === 0 ? '' : ` (and ${rest.length} more)`
  return `${name}: ${placeOf(first)}${others}. Nothing was rendered (--refuse-tokens).`
}

function placeOf({ where, token, start, end }: TokenInText): string {
  return `${where} spells ${JSON.stringify(token)} at ${start}–${end}`
}
