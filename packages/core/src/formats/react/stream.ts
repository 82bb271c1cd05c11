import type { AssistantMessage, Issue, IssueCode } from '../../format.ts'
import { isStandardJson, jsonWatch, readJsonOn } from '@callspec/python'
import type { JsonWatch } from '@callspec/python'
import { markerScanner } from '../../stream/marker-scanner.ts'
import type { MarkerScanner } from '../../stream/marker-scanner.ts'
import type { PlainText } from '../../stream/plain-text.ts'
import type { ReaderContext, ReadReply, ReplyReader } from '../../stream/reply-stream.ts'
import { addHead, extend, trimmedEnd, stretchAt } from '../../stream/stretch.ts'
import type { Head, Stretch } from '../../stream/stretch.ts'
import { quotingIssue } from '../issue.ts'
import { isCode } from './parse.ts'
import { ACTION, ACTION_INPUT, OBSERVATION } from './tokens.ts'

/**
 * Reads a reply in steps. Each marker may be the last of its kind, and the last ones count: so the name, the arguments
 * and the rest are collected from the last marker on, and what they were at the marker that ended them is kept.
 */
export function reactReader({ options, examined }: ReaderContext): ReplyReader {
  const reading = { checksArguments: options.rawArguments !== true, examined }
  const place = newPlace()
  return {
    take: (text) => {
      take(place, text, reading)
    },
    read: (rest) => {
      const ahead = copyOf(place)
      if (rest !== '') take(ahead, rest, reading)
      finish(ahead, reading)
      return readingAt(ahead)
    },
    // The thought may still grow, but not lose what stands before the first action.
    settled: () => ({
      messages: 0,
      characters: place.firstAction?.start ?? place.text.length,
      open: { kind: 'text', start: 0 },
    }),
    settledMessages: () => [],
    plainText: () => (place.firstAction !== null ? NOTHING_SETTLES : place.held === '' ? TEXT_GOES_ON : null),
  }
}

/** Each marker begins with a line feed. */
const TEXT_GOES_ON: PlainText = { isBrokenBy: (text) => text.includes('\n'), settles: 'all', space: 0 }
/** Behind the first action no text, whatever it is, settles before the end. */
const NOTHING_SETTLES: PlainText = { isBrokenBy: () => false, settles: 'nothing', space: 0 }

interface Reading {
  readonly checksArguments: boolean
  readonly examined: (characters: number) => void
}

/** How far a reply has been read. Positions are offsets into the reply. */
interface Place {
  /** Everything that has been read. Grows at its end only, and nobody looks into it while it grows. */
  text: string
  /**
   * The end of what was taken: the beginning of a marker, perhaps.
   *
   *   > Let me see.\nActi
   *                      ^   may become `Action:`; `Acting.` would make text of it
   */
  held: string
  /** The first characters, as many as an action at the very start has. */
  readonly opening: Head
  /**
   * Null as long as all is text.
   *
   *   > Let me see.
   *                ^
   */
  firstAction: Head | null
  hasInput: boolean
  /**
   * The last action: a name, as long as no input follows.
   *
   *   > Let me see.\nAction: clo
   *                             ^   without an input this is text, and the issue says so
   */
  action: Action | null
  /**
   * The last input, if it stands behind the last action: arguments.
   *
   *   > \nAction: clock\nAction Input: {"zone"
   *                                           ^   a later `Action:` would make a thought of all of it
   */
  input: Input | null
  /**
   * The last observation, if it stands behind the last input: nothing of it counts.
   *
   *   > \nAction: clock\nAction Input: {}\nObservation: noon
   *                                                         ^   a result that the model made up
   */
  observation: Observation | null
}

interface Action {
  /** Where its marker begins. */
  readonly at: number
  /**
   * The reply before it.
   *
   *   > Let me see.\nAction: clock
   *                ^
   */
  readonly thought: string
  /**
   * Everything behind the marker.
   *
   *   > Let me see.\nAction: clock
   *                         ^
   */
  readonly behind: Stretch
}

interface Input {
  /** Where its marker begins. */
  readonly at: number
  /**
   * What stands between the two markers, without white space around it.
   *
   *   > \nAction: clock\nAction Input: {}
   *               ^    ^                    from here to there
   */
  readonly name: string
  /**
   * Everything behind the marker.
   *
   *   > \nAction: clock\nAction Input: {}
   *                                   ^
   */
  readonly behind: Stretch
  /** Null where nobody asks whether the arguments are JSON. */
  readonly json: JsonWatch | null
}

interface Observation {
  readonly arguments: string
  readonly isJson: boolean
  /** The observation and everything behind it. */
  readonly rest: Stretch
}

function newPlace(): Place {
  return {
    text: '',
    held: '',
    opening: { start: 0, head: '' },
    firstAction: null,
    hasInput: false,
    action: null,
    input: null,
    observation: null,
  }
}

function copyOf(place: Place): Place {
  const { opening, firstAction, action, input, observation } = place
  return {
    ...place,
    opening: { ...opening },
    firstAction: firstAction && { ...firstAction },
    action: action && { ...action, behind: { ...action.behind } },
    input: input && { ...input, behind: { ...input.behind }, json: input.json && { ...input.json } },
    observation: observation && { ...observation, rest: { ...observation.rest } },
  }
}

/**
 * Reads up to the last marker of what has come, and holds what may be the beginning of another one.
 *
 *   > Let me see.\nAction: clock\nActi
 *                ^              ^        at the marker, and at the end where five characters are held
 */
function take(place: Place, text: string, reading: Reading): void {
  // By way of a field: of a variable, V8 may put the `+` into the loop and join both texts again for every marker.
  place.held += text
  const { held: window } = place
  reading.examined(window.length)
  place.held = ''
  for (let from = 0; from < window.length;) {
    const { at, marker } = MARKERS.find(window, from)
    addText(place, window.slice(from, at), reading)
    if (marker === null) {
      place.held = window.slice(at)
      return
    }
    readMarker(place, marker, reading)
    from = at + marker.length
  }
}

/** Takes what is held for text. */
function finish(place: Place, reading: Reading): void {
  addText(place, place.held, reading)
  place.held = ''
}

/**
 * What a marker does to those before it.
 *
 *   > \nAction: a\nAction Input: {}\nAction: b
 *                                  ^             the call of `a` becomes a part of the thought
 *   > \nAction: a\nAction Input: {}\nAction Input: 1
 *                                  ^                   the first input becomes a part of the name
 *   > Noon.\nObservation: none
 *          ^                     text: no input stands before it
 */
function readMarker(place: Place, marker: string, reading: Reading): void {
  const { text, action, input } = place
  const at = text.length
  if (marker === OBSERVATION) {
    if (input !== null) place.observation = { ...argumentsOf(input), rest: stretchAt(at) }
    addText(place, marker, reading)
    return
  }
  // Whatever stood behind the last action is void: only the last of each marker counts.
  place.input = null
  place.observation = null
  if (marker === ACTION) {
    place.action = null
    place.firstAction ??= { start: at, head: '' }
    addText(place, marker, reading)
    place.action = { at, thought: text, behind: stretchAt(at + marker.length) }
    return
  }
  place.hasInput = true
  // A later input makes this one a part of the name.
  const name = action?.behind.trimmed
  addText(place, marker, reading)
  if (name === undefined) return
  const json = reading.checksArguments ? jsonWatch() : null
  place.input = { at, name, behind: stretchAt(at + marker.length), json }
}

function addText(place: Place, text: string, { examined }: Reading): void {
  if (text === '') return
  const { opening, firstAction, action, input, observation } = place
  const at = place.text.length
  place.text += text
  addHead(opening, text)
  if (firstAction !== null) addHead(firstAction, text)
  if (action !== null) examined(extend(action.behind, text, at))
  if (input !== null) examined(addToInput(input, text, at))
  if (observation !== null) examined(extend(observation.rest, text, at))
}

/**
 * Gives the number of characters looked at. White space is followed once something stands behind it.
 *
 *   > \nAction Input: {"a": 1} \n
 *                             ^     up to here
 */
function addToInput({ behind, json }: Input, text: string, at: number): number {
  const { trimmed, space } = behind
  const looked = extend(behind, text, at)
  if (json === null || json.state === 'dead' || behind.trimmed.length === trimmed.length) return looked
  const start = trimmed === '' ? behind.start : at
  const own = text.slice(start - at, trimmedEnd(behind) - at)
  readJsonOn(json, space)
  readJsonOn(json, own)
  return looked + space.length + own.length
}

/**
 * What the reply says if it ends here.
 *
 *   > Let me see.\nAction: clock
 *                               ^   one text, and an issue
 *   > Let me see.\nAction: clock\nAction Input: {"zone"
 *                                                      ^   a thought and a call, whose arguments are no JSON
 */
function readingAt({ text, opening, firstAction, hasInput, action, input, observation }: Place): ReadReply {
  const issues: Issue[] = []
  if (action === null || input === null) {
    if (hasInput && opening.head.startsWith(BARE_ACTION)) {
      issues.push(issueOf('call-at-start', { start: 0, head: BARE_ACTION, end: BARE_ACTION.length }))
    }
    if (firstAction !== null) issues.push(issueOf('call-not-closed', { ...firstAction, end: text.length }))
    return { messages: [{ role: 'assistant', content: text }], issues, raise: null }
  }
  const { name } = input
  const read = observation ?? argumentsOf(input)
  const function_call = { name, arguments: read.arguments }
  if (name === '') issues.push(markerIssue('empty-name', ACTION, action.at))
  if (read.arguments === '') issues.push(markerIssue('call-without-arguments', ACTION_INPUT, input.at))
  else if (input.json !== null && !isCode(input.behind.head)) {
    const { start, head } = input.behind
    const code = read.isJson ? 'arguments-not-object' : 'arguments-not-json'
    if (!read.isJson || !head.startsWith('{'))
      issues.push(issueOf(code, { start, head, end: start + read.arguments.length }))
  }
  if (observation !== null) {
    const { rest } = observation
    issues.push(issueOf('text-after-call-dropped', { ...rest, end: trimmedEnd(rest) }))
  }
  const call: AssistantMessage = { role: 'assistant', content: '', function_call }
  const { thought } = action
  return { messages: thought === '' ? [call] : [{ role: 'assistant', content: thought }, call], issues, raise: null }
}

function argumentsOf({ behind, json }: Input): { readonly arguments: string; readonly isJson: boolean } {
  return { arguments: behind.trimmed, isJson: json !== null && isStandardJson(json) }
}

function markerIssue(code: IssueCode, marker: string, start: number): Issue {
  return issueOf(code, { start, head: marker, end: start + marker.length })
}

function issueOf(code: IssueCode, { start, end, head }: Head & { readonly end: number }): Issue {
  return quotingIssue('react', code, { span: { start, end }, head })
}

const MARKERS: MarkerScanner = markerScanner([ACTION, ACTION_INPUT, OBSERVATION])
/** An action at the very start, which is none. */
const BARE_ACTION = ACTION.slice(1)
