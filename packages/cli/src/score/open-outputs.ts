import { jsonRecords, OUTPUT_SHAPES, recogniseShape, SHAPE_TABLE } from '@callspec/eval'
import type { JsonRecords, OutputShape, Unrecognised } from '@callspec/eval'
import { UsageError } from '../usage-error.ts'
import { placeOf } from './run.ts'
import { sourceText } from './source-lines.ts'

/** A file of recorded outputs, opened: what it holds, and its rows. */
export interface OpenOutputs extends JsonRecords {
  readonly shape: OutputShape
}

/**
 * Opens a file of recorded outputs.
 *
 * @param kind what the user says it is; null where its first rows are to say it
 * @throws UsageError for a file that cannot be read, or that is nothing known here
 */
export async function openOutputs(path: string, kind: OutputShape | null): Promise<OpenOutputs> {
  const { unit, records } = await jsonRecords(sourceText(path))
  if (kind !== null) return { unit, records, shape: kind }
  const found = await recogniseShape(records)
  if (found.kind === 'shape') return { unit, records: found.records, shape: found.shape }
  throw new UsageError(whyNot(path, unit, found))
}

/** One line: what, where, what to do. */
function whyNot(path: string, unit: JsonRecords['unit'], { at, reason, members }: Unrecognised): string {
  if (at === null) return `${path}: ${reason}. Give ${KNOWN}.`
  const place = placeOf(path, at, unit)
  if (members.length === 0) return `${place}: ${reason}. Give JSON Lines, or a JSON array, with ${KNOWN}.`
  const shown = members.slice(0, 6).map((name) => JSON.stringify(name.slice(0, 40)))
  const seen = `${shown.join(', ')}${members.length > shown.length ? ', …' : ''}`
  return `${place}: ${reason}, but a row with ${seen}. ${adviceFor(new Set(members))}`
}

const KNOWN = OUTPUT_SHAPES.map((shape) => SHAPE_TABLE[shape].about.split(',')[0]).join(', ')

function adviceFor(members: ReadonlySet<string>): string {
  if (members.has('gen') && members.has('response'))
    return "If these are replies to Qwen's exam, give --kind qwen-exam."
  if (members.has('id') && members.has('result'))
    return 'If this is a result file of BFCL, give --kind bfcl with --questions and --answers.'
  return `Known are ${KNOWN}; --field names the member that holds the text, or a path to it (resps.0.0).`
}
