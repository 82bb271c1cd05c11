import type { AssistantMessage, Issue } from '../../format.ts'
import { copyCall } from './stream-call.ts'
import type { OpenCall } from './stream-call.ts'
import { partAt } from './stream-part.ts'
import type { Part } from './stream-part.ts'

/** What the options mean. */
export interface Reading {
  readonly parallelCalls: boolean
  readonly checksArguments: boolean
  /**
   * The line that stands before a reply which begins with arguments; empty where no tool is forced.
   *
   *   > ✿FUNCTION✿: clock\n✿ARGS✿: {"zone": "UTC"}
   *                        ^   the reply begins here, behind what the prompt ended with
   */
  readonly start: string
  readonly examined: (characters: number) => void
}

/** How far a reply has been read. Positions are offsets into the reply. */
export interface Place {
  /** How much has been read, without what is held. */
  at: number
  /**
   * The end of what was taken: the beginning of a marker perhaps, or a colon at the start.
   *
   *   > Let me look.\n✿FUNC
   *                        ^   `✿FUNC` is held: what follows decides whether it is text
   */
  held: string
  /**
   * How much of the start is a colon that belongs to the prompt; null before the first character.
   *
   *   > : clock
   *       ^   2: the colon and its space are no text of the reply
   */
  colon: number | null
  /**
   * White space at the start, as long as a forced call may begin behind it; then null.
   *
   *   > \n ✿ARGS✿: {}
   *        ^   a line feed and a blank; behind `\n Well` it would be null
   */
  opening: string | null
  /**
   * The text before the first call.
   *
   *   > Let me look.\n
   *                   ^
   */
  lead: Part
  /**
   * The call that is being written; null before the first one. Another marker ends it.
   *
   *   > ✿FUNCTION✿: clock\n✿ARGS✿: {"zone"
   *                                       ^
   */
  call: OpenCall | null
  /** How many calls came before the open one. */
  calls: number
  /**
   * Set behind a result that the model wrote by itself: the reference raises, and nothing else counts.
   *
   *   > ✿FUNCTION✿: clock\n✿ARGS✿: {}\n✿RESULT✿
   *                                            ^
   */
  stopWord: Issue | null
  /** What was found of everything before the open call. */
  readonly messages: AssistantMessage[]
  /** Issues in the order of the outcome: of the lead, of FUNCTION markers with nothing behind them, of calls. */
  readonly ofLead: Issue[]
  readonly ofEmpty: Issue[]
  readonly ofCalls: Issue[]
}

/** Before the first character. */
export function newPlace({ start }: Reading): Place {
  return {
    at: 0,
    held: '',
    colon: null,
    opening: start === '' ? null : '',
    lead: partAt(0),
    call: null,
    calls: 0,
    stopWord: null,
    messages: [],
    ofLead: [],
    ofEmpty: [],
    ofCalls: [],
  }
}

/** A place that goes on by itself and takes down only what comes to what was found before. */
export function placeAhead(place: Place): Place {
  const { lead, call } = place
  const nothing = { messages: [], ofLead: [], ofEmpty: [], ofCalls: [] }
  return { ...place, lead: { ...lead }, call: call && copyCall(call), ...nothing }
}
