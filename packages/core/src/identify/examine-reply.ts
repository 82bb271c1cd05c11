import type { ToolSpec } from '../reply/reader.ts'
import type { Format } from '../format/format.ts'
import type { ReferenceError } from '@callspec/python'
import type { CallItem, IssueItem, ReplyItem } from '../reply/item.ts'
import { callsOf } from '../reply/item.ts'
import { versionFor } from './versions.ts'

/** Where markers are in a reply; each is searched for once. */
export interface MarkerPlaces {
  /** The offset of the first occurrence, in UTF-16 units; Infinity if absent. */
  readonly first: (marker: string) => number
}

export function markerPlaces(text: string): MarkerPlaces {
  const found = new Map<string, number>()
  return {
    first: (marker) => {
      const known = found.get(marker)
      if (known !== undefined) return known
      const at = text.indexOf(marker)
      const place = at < 0 ? Infinity : at
      found.set(marker, place)
      return place
    },
  }
}

/** The result of reading a reply with one format. */
export interface Examined {
  readonly format: Format
  /** The version of its reference that read the reply. */
  readonly version: string
  /** Whether a marker of the format begins a call. */
  readonly begins: boolean
  readonly items: readonly ReplyItem[]
  readonly error: ReferenceError | null
  readonly calls: readonly CallItem[]
  /** Calls whose names are of the tools; where no tools are known, those whose names could be names of tools. */
  readonly known: number
  readonly harms: readonly IssueItem[]
  /** Without stop tokens that were left: a reply that ends with the format's own stop is likely in that format. */
  readonly notes: readonly IssueItem[]
  /** Calls whose names could be names of tools: those that a wrong reader finds contain brackets and quotes. */
  readonly named: number
  /** If a call begins and none could be read: UTF-16 units of the markers of the format. Else 0. */
  readonly broken: number
  /** UTF-16 units of the reply that were read as text. */
  readonly left: number
  /** From 0, for no call, to 1: calls of known names, no issue, nothing left over. */
  readonly score: number
}

/** What is known of a reply. */
export interface ExamineRequest {
  readonly text: string
  readonly tools: readonly ToolSpec[]
  readonly names: ReadonlySet<string>
  readonly places: MarkerPlaces
}

/**
 * Reads a reply with a format and scores the result. Null for a format that can find no call in it, which most are: the reply
 * is then not read.
 */
export function examineReply(format: Format, request: ExamineRequest): Examined | null {
  const begins = beginsCall(format, request)
  if (!begins && format.traits.onlyMarkedCalls === true) return null
  const { text, tools, names } = request
  const { items, error } = format.read(text, {
    tools,
    parallelCalls: true,
    version: versionFor(format),
    ...openThought(format, request),
  })
  const calls = callsOf(items)
  const issues = items.filter((item) => item.kind === 'issue')
  const known = names.size === 0 ? 0 : calls.filter(({ name }) => names.has(name)).length
  const named = calls.filter(({ name }) => names.has(name) || TOOL_NAME.test(name)).length
  const harms = issues.filter(({ weight }) => weight === 'harm')
  const examined = {
    format,
    version: versionFor(format),
    begins,
    items,
    error,
    calls,
    known: names.size === 0 ? named : known,
    named,
    broken: calls.length === 0 && harms.length > 0 && begins ? markedIn(format, request) : 0,
    harms,
    notes: issues.filter(({ weight, code }) => weight === 'note' && code !== 'stop-token-left'),
    left: items.reduce((sum, item) => sum + (item.kind === 'text' ? item.text.length : 0), 0),
  }
  return { ...examined, score: scoreOf(examined, text.length) }
}

/** What a tool may be named: brackets and quotes are pieces of another format's call. */
const TOOL_NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.:/@$ -]{0,255}$/u

/**
 * A reply whose prompt has opened a thought closes one that it never opened. A closing marker inside a call is part of a value.
 */
function openThought(
  { markers }: Format,
  { text, places }: Pick<ExamineRequest, 'text' | 'places'>,
): { readonly thoughtInContent?: true } {
  const { thought, callStart, callEnd } = markers
  if (thought === null) return {}
  const close = places.first(thought.close.trim())
  if (close === Infinity || places.first(thought.open.trim()) < close) return {}
  const isBeforeCalls = callStart.every((marker) => close < places.first(marker))
  return isBeforeCalls || lastMarker(callEnd, text, close) > lastMarker(callStart, text, close)
    ? { thoughtInContent: true }
    : {}
}

function beginsCall({ markers }: Format, { places }: Pick<ExamineRequest, 'places'>): boolean {
  return markers.callStart.some((marker) => places.first(marker) < Infinity)
}

/** UTF-16 units of the different markers in a reply. */
function markedIn({ markers }: Format, { places }: Pick<ExamineRequest, 'places'>): number {
  const { callStart, callInner, callEnd, others } = markers
  const present = [...callStart, ...callInner, ...callEnd, ...others].filter(
    (marker) => places.first(marker) < Infinity,
  )
  return present.reduce((sum, marker) => sum + marker.length, 0)
}

function lastMarker(markers: readonly string[], text: string, before: number): number {
  return Math.max(-1, ...markers.map((marker) => text.lastIndexOf(marker, before)))
}

/** The worth of a call with an unknown name, and of one whose name cannot be a name. */
const [UNKNOWN_NAME, NO_NAME] = [0.5, 0.05]

/** What a note costs, and a reply that is all text. */
const [NOTE, ALL_TEXT] = [0.2, 0.3]

function scoreOf({ calls, known, named, error, harms, notes, left }: Omit<Examined, 'score'>, length: number): number {
  if (error !== null || calls.length === 0) return 0
  const worth = (known + UNKNOWN_NAME * (named - known) + NO_NAME * (calls.length - named)) / calls.length
  const share = length === 0 ? 0 : Math.min(1, left / length)
  return (worth * (1 - ALL_TEXT * share)) / (1 + harms.length) / (1 + NOTE * notes.length)
}
