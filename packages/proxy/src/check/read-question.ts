import { canonicalJson, sha256 } from '@callspec/eval/reply-parts'

/** What a check has to know of a request. */
export interface Question {
  /** Equal for requests that ask the same, whole or streamed; null where an answer is left to chance. */
  readonly key: string | null
  /** The members that each tool needs, by its name. */
  readonly required: ReadonlyMap<string, readonly string[]>
  /** Whether `tool_choice` asks for a call, so that a reply without one is wrong. */
  readonly forcesCall: boolean
}

type Fields = Readonly<Record<string, unknown>>

/** Null for a body that is no JSON map. */
export function readQuestion(body: Buffer | null): Question | null {
  const value = body === null ? null : fieldsIn(body)
  if (value === null) return null
  const { stream: _stream, stream_options: _options, ...asked } = value
  return {
    key: asked['temperature'] === 0 ? sha256(canonicalJson(asked)) : null,
    required: requiredIn(asked['tools']),
    forcesCall: forcesCall(asked['tool_choice']),
  }
}

function fieldsIn(body: Buffer): Fields | null {
  try {
    return fields(JSON.parse(body.toString('utf8')))
  } catch {
    return null
  }
}

/** `any` is what Mistral calls `required`. */
function forcesCall(choice: unknown): boolean {
  return choice === 'required' || choice === 'any' || fields(fields(choice)?.['function']) !== null
}

function requiredIn(tools: unknown): ReadonlyMap<string, readonly string[]> {
  const rows: readonly unknown[] = Array.isArray(tools) ? tools : []
  return new Map(
    rows.flatMap((row) => {
      const tool = fields(fields(row)?.['function'])
      const name = tool?.['name']
      const required = fields(tool?.['parameters'])?.['required']
      if (typeof name !== 'string' || !Array.isArray(required)) return []
      return [[name, required.filter((member) => typeof member === 'string')] as const]
    }),
  )
}

function fields(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}
