import { toPlain, toWireParameters } from '@callspec/core'
import type { Profile } from '@callspec/core'
import { openAiReplies, serviceError, toWireMessages } from '@callspec/core/reference'
import type { Client, CompletionRequest } from '../client/client.ts'
import type { Model } from '../drive-loop.ts'
import { requestHash } from './request-hash.ts'
import { parametersOf, plainSettings } from './request-settings.ts'
import type { RequestSettings } from './request-settings.ts'
import { sentPrompt } from './sent-prompt.ts'
import type { EpisodeKey, TurnLine } from './trace.ts'

/** What one completion adds to the trace. */
export type TurnFields = Omit<TurnLine, keyof EpisodeKey | 'kind' | 'turn' | 'question'>

/** Whom an episode asks, and who is told of every answer. */
export interface ModelOptions {
  readonly key: EpisodeKey
  readonly client: Client
  /** How messages look on the wire. */
  readonly profile: Profile
  /** Takes every completion, or the failure to get one, before the host sees it. */
  readonly onTurn: (fields: TurnFields) => void
  /** Milliseconds, only ever subtracted. */
  readonly clock: () => number
  readonly signal?: AbortSignal
  /** How the model is asked; absent for `plainSettings`. */
  readonly settings?: RequestSettings | undefined
}

/** The model behind HTTP. The host reads the complete reply, so that how it was cut into chunks changes nothing. */
export function modelOf(options: ModelOptions): Model {
  const { key, client, clock, signal, profile, onTurn, settings = plainSettings(key.model) } = options
  let last: CompletionRequest['messages'] = []
  return {
    generate: async function* (prepared) {
      const request: CompletionRequest = {
        model: settings.name,
        messages: toWireMessages(prepared.serviceMessages, profile).map(
          (message) => toPlain(message) as Record<string, unknown>,
        ),
        parameters: parametersOf(toPlain(toWireParameters(prepared.generateCfg)) as Record<string, unknown>, settings),
      }
      const asked = { request: requestHash(request), sent: sentPrompt(last, request.messages) }
      last = request.messages
      const began = clock()
      const outcome = await client.complete(request, signal)
      const ms = Math.round(clock() - began)
      if (outcome.kind === 'failed') {
        const { failure } = outcome.error
        onTurn({
          ...asked,
          id: '',
          text: '',
          reasoning: '',
          toolCalls: [],
          finishReason: null,
          usage: null,
          failure,
          attempts: outcome.attempts,
          ms,
          cached: false,
          warnings: [],
        })
        throw serviceError(String(failure.status ?? ''), failure.message)
      }
      const { text, reasoning } = outcome.value
      onTurn({
        ...asked,
        ...outcome.value,
        toolCalls: [],
        failure: null,
        attempts: outcome.attempts,
        ms,
        cached: false,
        warnings: [],
      })
      yield* openAiReplies([{ content: text, reasoning_content: reasoning === '' ? null : reasoning }], profile)
    },
  }
}
