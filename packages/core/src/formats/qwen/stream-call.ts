import type { AssistantMessage, Issue, IssueCode } from '../../format.ts'
import { addHead, extend, trimmedEnd } from '../../stream/stretch.ts'
import type { Head } from '../../stream/stretch.ts'
import { quotingIssue } from '../issue.ts'
import {
  addToArguments,
  addToPart,
  argumentsAt,
  cleanedText,
  copyArguments,
  partAt,
  trimmedArguments,
} from './stream-part.ts'
import type { ArgumentsPart, Part, PartText } from './stream-part.ts'
import { ARGS_COLON, FUNCTION_COLON } from './tokens.ts'

/** A call that may still grow. It begins at its marker; a forced call begins before the reply, at a negative offset. */
export interface OpenCall extends Head {
  /** Whether the arguments follow other arguments of the same FUNCTION marker. */
  readonly isFurther: boolean
  /**
   * Whether it counts as dropped, so that nobody asks what it says.
   *
   *   > ✿FUNCTION✿: a\n✿ARGS✿: {}\n✿FUNCTION✿: b
   *                                             ^   where one call counts, the second one is dropped
   */
  readonly isDropped: boolean
  /**
   * What stands behind FUNCTION.
   *
   *   > ✿FUNCTION✿: clo
   *                    ^   grows until arguments begin
   */
  readonly name: Part
  /**
   * What stands behind ARGS; null as long as the name may grow.
   *
   *   > ✿FUNCTION✿: clock\n✿ARGS✿: {"zone
   *                                      ^
   */
  args: ArgumentsPart | null
  /** What was found of the name when the arguments began. */
  read: ReadName | null
}

interface ReadName {
  readonly text: string
  readonly issues: readonly Issue[]
}

/** What a call comes to. */
export interface FinishedCall {
  /** Null for a call that was dropped. */
  readonly message: AssistantMessage | null
  readonly issues: readonly Issue[]
}

/** A call that begins with the FUNCTION marker at `start`. */
export function functionAt(start: number, isDropped: boolean): OpenCall {
  const name = partAt(start + FUNCTION_COLON.length)
  return { start, head: FUNCTION_COLON, isFurther: false, isDropped, name, args: null, read: null }
}

/**
 * A call that begins with the ARGS marker at `start` and has the name of the call before.
 *
 *   > ✿FUNCTION✿: clock\n✿ARGS✿: {"zone": "UTC"}\n✿ARGS✿:
 *                                                        ^   a second call of clock
 */
export function furtherCallAt(start: number, { name, read }: OpenCall, options: CallOptions): OpenCall {
  const args = argumentsAt(start + ARGS_COLON.length, options.checksArguments)
  // What was noted about the name belongs to the first call.
  const shared = read && { text: read.text, issues: [] }
  return { start, head: ARGS_COLON, isFurther: true, isDropped: options.isDropped, name, args, read: shared }
}

interface CallOptions {
  readonly isDropped: boolean
  readonly checksArguments: boolean
}

/** Begins the arguments of a call, at their marker. */
export function beginArguments(call: OpenCall, start: number, checksArguments: boolean): void {
  addHead(call, ARGS_COLON)
  call.args = argumentsAt(start + ARGS_COLON.length, checksArguments)
  if (!call.isDropped) call.read = readName(call)
}

/** A copy that goes on by itself. */
export function copyCall(call: OpenCall): OpenCall {
  return { ...call, name: { ...call.name }, args: call.args && copyArguments(call.args) }
}

/**
 * Adds text behind everything added before.
 *
 * @returns how many characters it looked at
 */
export function addToCall(call: OpenCall, added: PartText): number {
  addHead(call, added.text)
  if (call.isDropped) return extend(call.args ?? call.name, added.text, added.at)
  return call.args === null ? addToPart(call.name, added) : addToArguments(call.args, added)
}

/** What the call comes to if the text ends with it. */
export function finishedCall(call: OpenCall): FinishedCall {
  const { start, head, isFurther, isDropped, args } = call
  const whole = { start, end: trimmedEnd(args ?? call.name), head }
  if (isDropped) return { message: null, issues: [issueOf('call-dropped', whole)] }
  const name = call.read ?? readName(call)
  const issues = [...name.issues]
  if (isFurther) issues.push(issueOf('argument-list', whole))
  if (args === null) issues.push(issueOf('call-without-arguments', whole))
  const function_call = { name: name.text, arguments: args === null ? '' : readArguments(args, issues) }
  return { message: { role: 'assistant', content: '', function_call }, issues }
}

/** An issue about a piece of the reply. What stands at negative offsets is the prompt's. */
export function issueOf(code: IssueCode, { start, end, head }: Head & { readonly end: number }): Issue {
  const span = { start: Math.max(0, start), end: Math.max(0, end) }
  return quotingIssue('qwen', code, { span, head: head.slice(span.start - start) })
}

/** The marker that was removed from the end of a part, as an issue. */
export function removedMark({ mark }: Part): readonly Issue[] {
  if (mark === null) return []
  return [issueOf('marker-removed', { start: mark.at, end: mark.at + mark.text.length, head: mark.text })]
}

function readName({ start, name }: OpenCall): ReadName {
  const text = cleanedText(name)
  const issues = [...removedMark(name)]
  if (text === '')
    issues.push(issueOf('empty-name', { start, end: start + FUNCTION_COLON.length, head: FUNCTION_COLON }))
  return { text, issues }
}

function readArguments(part: ArgumentsPart, issues: Issue[]): string {
  const { text, end, isJson, isCode, comment } = trimmedArguments(part)
  issues.push(...removedMark(part))
  if (comment !== null) issues.push(issueOf('text-after-call-dropped', comment))
  const isObject = isJson && part.head.startsWith('{')
  if (part.json !== null && !isObject && !isCode) {
    const code = isJson ? 'arguments-not-object' : 'arguments-not-json'
    issues.push(issueOf(code, { start: part.start, end, head: part.head }))
  }
  return text
}
