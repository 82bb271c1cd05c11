import { readRequest } from '@callspec/apis'
import type { Api, ApiRequest } from '@callspec/apis'
import { canonicalJson, sha256 } from '@callspec/eval/replies'
import { isDict, loads, toPlain } from '@callspec/python'
import type { PyDict } from '@callspec/python'

/** The parts of a request that a check uses. */
export interface Question {
  /** Equal for the same request, whole or streamed; null if the answer is random. */
  readonly key: string | null
  /** The required members of each tool, by its name. */
  readonly required: ReadonlyMap<string, readonly string[]>
  /** Whether `tool_choice` asks for a call, so that a reply without one is wrong. */
  readonly forcesCall: boolean
  readonly request: ApiRequest
  /** The whole body. */
  readonly body: PyDict
}

/** Null for a body that is no JSON map. */
export function readQuestion(body: Buffer | null, api: Api): Question | null {
  const value = body === null ? null : dictIn(body)
  if (value === null) return null
  const request = readRequest(value, api)
  const { choice } = request
  return {
    key: keyOf(value),
    required: requiredIn(request),
    forcesCall: choice === 'required' || (typeof choice === 'object' && choice !== null),
    request,
    body: value,
  }
}

function dictIn(body: Buffer): PyDict | null {
  try {
    const value = loads(body.toString('utf8'))
    return isDict(value) ? value : null
  } catch {
    // Not JSON, or nested too deeply to be read.
    return null
  }
}

function keyOf(body: PyDict): string | null {
  const temperature = body.get('temperature')
  if (temperature !== 0n && temperature !== 0) return null
  const asked = new Map(body)
  asked.delete('stream')
  asked.delete('stream_options')
  return sha256(canonicalJson(toPlain(asked)))
}

function requiredIn({ tools }: ApiRequest): Question['required'] {
  return new Map(
    tools.flatMap(({ name, parameters }) => {
      const required = parameters?.get('required')
      if (!Array.isArray(required)) return []
      return [[name, required.filter((member) => typeof member === 'string')] as const]
    }),
  )
}
