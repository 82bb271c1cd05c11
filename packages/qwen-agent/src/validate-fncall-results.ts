import type { Message, Profile } from '@callspec/core/qwen-agent'
import { repr, Raise } from '@callspec/python'

/** What the results of a history are checked with. */
export interface ValidateResultsOptions {
  readonly profile: Profile
  /** Whether the service takes images. */
  readonly multimodal: boolean
}

/**
 * Checks that the results at the end of a history match the calls before them, in number and order (spec §8.6,
 * `validate_num_fncall_results`). Newer versions have this function but do not call it.
 *
 * @throws Raise `ValueError` for results that do not match, `IndexError` for a history of nothing but calls or results
 */
export function validateFncallResults(messages: readonly Message[], options: ValidateResultsOptions): void {
  const results: (string | null)[] = []
  let index = messages.length - 1
  for (; at(messages, index).role === 'function'; index -= 1) {
    results.push(at(messages, index).name ?? null)
    if (options.profile.validatesResultItems) checkItems(at(messages, index), options)
  }
  const calls: string[] = []
  for (let call = at(messages, index).function_call; call; call = at(messages, index).function_call) {
    calls.push(call.name)
    index -= 1
  }
  results.reverse()
  calls.reverse()
  if (calls.length !== results.length) throw new Raise('ValueError', differentCounts(calls.length, results.length))
  if (results.some((name, position) => name && name !== calls[position])) {
    throw new Raise('ValueError', differentNames(results, calls))
  }
}

/** As in the reference: past the start of the list the walk goes on from its end, as negative indices do (spec Q18). */
function at(messages: readonly Message[], index: number): Message {
  const message = messages[index < 0 ? index + messages.length : index]
  if (message === undefined) throw new Raise('IndexError', 'list index out of range')
  return message
}

function checkItems({ content }: Message, { multimodal }: ValidateResultsOptions): void {
  if (typeof content === 'string') return
  for (const item of content) {
    if (item.file) throw new Raise('ValueError', 'Tool call results with content type="file" are not supported.')
    if (item.image && !multimodal) {
      throw new Raise('ValueError', 'The current model service does not accept images as tool results.')
    }
  }
}

function differentCounts(calls: number, results: number): string {
  return (
    `Expecting ${calls} function results (i.e., messages with role="function") but received ${results} function ` +
    'results. The number of function results must match that of the function_call messages.'
  )
}

/** As in the reference: no space after the second full stop. */
function differentNames(results: readonly (string | null)[], calls: readonly string[]): string {
  return (
    'The function results (i.e., the messages with role="function" ) must be put in the same order as the ' +
    'function_call messages. And the function names must match.' +
    `The function results are currently ${repr(results)}. But ${repr(calls)} are expected.`
  )
}
