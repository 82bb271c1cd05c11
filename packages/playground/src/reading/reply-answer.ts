import { formatNamed } from '@callspec/core'
import type { Format, Reply } from '@callspec/core'
import { identifyReply, parserNames } from '@callspec/core/identify'
import type { IdentifiedReply, ParserNames } from '@callspec/core/identify'
import { isDict } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { readTools } from '../request/read-request.ts'
import type { ReplyChoice } from '../state/state.ts'
import { placeItems } from './place-items.ts'
import type { PlacedItem } from './place-items.ts'
import { formatOrFirst, readAs, readOptions, versionsThatRead } from './read-as.ts'
import type { ReplyRequest } from './read-as.ts'
import { segmentsOf } from './segments.ts'
import type { Segment } from './segments.ts'
import { toldEvents } from './told-events.ts'

/** What is asked of a reply. */
export interface ReplyQuestion extends ReplyChoice {
  readonly text: string
  /** JSON5. */
  readonly tools: string
}

/** A reply, read in every way that there is. */
export interface ReplyAnswer {
  /** What is wrong with the tools; they are then left out. */
  readonly toolsFault: string | null
  readonly identified: IdentifiedReply
  /** The format that it was read in: the chosen one, else the best. */
  readonly format: string
  readonly version: string
  /** What engines call the parser of the format. */
  readonly parsers: ParserNames | null
  readonly reply: Reply
  readonly placed: readonly PlacedItem[]
  readonly segments: readonly Segment[]
  /** What each version says, those together that say the same. */
  readonly versions: readonly VersionsReading[]
}

/** What some versions say alike. */
export interface VersionsReading {
  readonly versions: readonly string[]
  readonly reply: Reply
}

/** A longer reply is cut before it is read, in UTF-16 units: a page is no place for it. */
export const LONGEST_READ = 1_000_000

/** Reads a reply. Nothing that a model writes makes it throw. */
export function replyAnswer({ text: whole, tools: toolsText, ...choice }: ReplyQuestion): ReplyAnswer {
  const text = whole.slice(0, LONGEST_READ)
  const read = readTools(toolsText)
  const tools = read.kind === 'read' ? read.tools.filter((tool): tool is PyDict => isDict(tool)) : []
  const identified = identifyReply(text, { tools })
  const format = formatNamed(choice.format) ?? formatOrFirst(likeliest(identified))
  const request: ReplyRequest = { ...choice, text, tools }
  const options = readOptions(format, request)
  const placed = placeItems(format, text, toldEvents(format, text, options))
  return {
    toolsFault: read.kind === 'read' ? null : read.message,
    identified,
    format: format.id,
    version: options.version ?? '',
    parsers: parserNames(format.id),
    reply: readAs(format, request),
    placed,
    segments: segmentsOf(text.length, placed),
    versions: readVersions(format, request),
  }
}

/** The answer; where no format finds a call, the one that is meant, else one whose markers are there. */
function likeliest({ formats, broken, stray, ranking }: IdentifiedReply): string {
  return formats[0] ?? broken?.formats[0] ?? stray?.formats[0] ?? ranking[0]?.format ?? ''
}

function readVersions(format: Format, request: ReplyRequest): readonly VersionsReading[] {
  const readings = new Map<string, { readonly versions: string[]; readonly reply: Reply }>()
  for (const version of versionsThatRead(format)) {
    const reply = readAs(format, { ...request, version })
    const key = JSON.stringify(reply)
    const known = readings.get(key)
    if (known === undefined) readings.set(key, { versions: [version], reply })
    else known.versions.push(version)
  }
  return [...readings.values()]
}
