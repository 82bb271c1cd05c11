import { canonicalJson, sha256 } from '../text/canonical-json.ts'
import type { CompletionRequest } from './client.ts'

/**
 * SHA-256, in hex, of what decides the reply: model, prompt and parameters, with the keys of every object in order.
 * How the reply travels is not in it.
 */
export function requestHash({ sample: _sample, ...sent }: CompletionRequest): string {
  return sha256(canonicalJson(sent))
}
