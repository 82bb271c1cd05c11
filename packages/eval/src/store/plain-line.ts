import { isRecord } from '../text/json.ts'
import type { TraceLine } from '../trace/trace.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Whether a line looks like nearly all lines do, and so surely fits its schema; judging by the schema takes ten times as
 * long, which a journal of 100 000 turns makes felt. False says nothing: then the schema has to be asked.
 */
export function isPlainLine(kind: TraceLine['kind'], line: Fields): boolean {
  if (line['kind'] !== kind || !isText(line['model']) || !isText(line['protocol']) || !isText(line['task']))
    return false
  if (!Number.isInteger(line['sample'])) return false
  switch (kind) {
    case 'turn':
      return isCount(line['turn']) && isPlainReply(line) && isPlainRequest(line)
    case 'call':
      return (
        isCount(line['turn']) &&
        isText(line['name']) &&
        isText(line['arguments']) &&
        isText(line['result']) &&
        typeof line['isError'] === 'boolean'
      )
    case 'end':
      return (
        REASONS.has(line['reason']) &&
        isTextOrNull(line['error']) &&
        line['state'] === undefined &&
        isCount(line['superseded'] ?? 0)
      )
    case 'retry':
      return isCount(line['from'])
    case 'restart':
      return isCount(line['superseded'])
  }
}

const REASONS: ReadonlySet<unknown> = new Set(['answered', 'limit', 'raised', 'guard'])

function isPlainReply(line: Fields): boolean {
  const { id, text, reasoning, toolCalls, finishReason, usage, failure, ms, cached, chunks = [] } = line
  const { servedModel = '', fingerprint = '' } = line
  return (
    isText(id) &&
    isText(servedModel) &&
    isText(fingerprint) &&
    isText(text) &&
    isText(reasoning) &&
    isListOf(toolCalls, isNothing) &&
    isTextOrNull(finishReason) &&
    (usage === null || isUsage(usage)) &&
    failure === null &&
    (ms === null || typeof ms === 'number') &&
    typeof cached === 'boolean' &&
    isListOf(chunks, isPairOfNumbers)
  )
}

function isPlainRequest({ attempts, request, sent, warnings, question, endpoint = '', tried }: Fields): boolean {
  return (
    isText(endpoint) &&
    tried === undefined &&
    isCount(attempts) &&
    isText(request) &&
    /^(?:[0-9a-f]{64})?$/.test(request) &&
    isRecord(sent) &&
    isCount(sent['kept']) &&
    (isText(sent['added']) || isListOf(sent['added'], isRecord)) &&
    isListOf(warnings, isText) &&
    question === undefined
  )
}

function isUsage(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { prompt, completion, reasoning = 0, cached = 0 } = value
  return [prompt, completion, reasoning, cached].every((count) => typeof count === 'number')
}

function isPairOfNumbers(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'number' && typeof value[1] === 'number'
}

function isListOf(value: unknown, is: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is)
}

function isNothing(): boolean {
  return false
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string'
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0
}
