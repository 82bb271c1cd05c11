import { acceptText, compileGrammar, GRAMMAR_KINDS } from '@callspec/grammar'
import type { GrammarKind, GrammarResult, GrammarVerdict } from '@callspec/grammar'
import { EXIT } from '../command.ts'
import type { ExitCode, Invocation } from '../command.ts'
import { readSource } from '../input-file.ts'
import { inert, quotedLine } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import { openGrammar } from './grammar-file.ts'

export async function runAccept(invocation: Invocation): Promise<ExitCode> {
  const { positionals, options, output } = invocation
  const batch = options.text('batch')
  if (batch !== null) {
    if (positionals.length > 0) throw new UsageError('--batch has the grammars and texts: give no GRAMMAR next to it.')
    return acceptBatch(batch, invocation)
  }
  const [grammarPath, textPath] = positionals
  if (grammarPath === undefined || textPath === undefined)
    throw new UsageError('callspec grammar accept needs a GRAMMAR and a TEXT: two files, one of them may be -.')
  if (grammarPath === '-' && textPath === '-') throw new UsageError('GRAMMAR and TEXT cannot both be standard input.')
  const { compiled } = await openGrammar(grammarPath, invocation)
  const { text } = await readSource(textPath)
  const verdict = acceptText(compiled, text)
  if (options.flag('json')) output.line(JSON.stringify(verdict))
  else output.line(inert(verdictText(verdict, text)))
  return verdict.accepted ? EXIT.ok : EXIT.disagreement
}

function verdictText(verdict: GrammarVerdict, text: string): string {
  if (verdict.accepted) return 'accepted'
  if (verdict.error !== undefined) return `unknown: ${verdict.error}`
  const expected = verdict.expected.length === 0 ? 'nothing' : verdict.expected.join(', ')
  if (verdict.incomplete)
    return `refused: the text ends at byte ${verdict.at}, but may not end here. Expected: ${expected}`
  const bytes = Buffer.from(text)
  const before = bytes.subarray(0, verdict.at).toString().slice(-40)
  const after = bytes.subarray(verdict.at).toString().slice(0, 40)
  return `refused at byte ${verdict.at}: ${quotedLine(after, 60)} after ${quotedLine(before, 60)}. Expected: ${expected}`
}

/** Answers each line at once, in order. A line that cannot be read is an answer with an error. */
async function acceptBatch(path: string, { output }: Invocation): Promise<ExitCode> {
  const { name, text } = await readSource(path)
  const grammars = new Map<string, GrammarResult>()
  let number = 0
  for (const line of text.split('\n')) {
    number += 1
    if (line.trim() !== '') output.write(`${JSON.stringify(answerTo(line, `${name}:${number}`, grammars))}\n`)
  }
  return EXIT.ok
}

// Batches ask about one grammar many times in a row; older ones are dropped.
const MAX_KEPT = 20

function answerTo(line: string, where: string, grammars: Map<string, GrammarResult>): object {
  const question = readQuestion(line, where)
  if ('error' in question) return question
  const { id, kind, grammar, text } = question
  const key = `${kind} ${typeof grammar === 'string' ? grammar : JSON.stringify(grammar)}`
  const result = grammars.get(key) ?? compileGrammar(kind, grammar)
  if (!grammars.has(key)) {
    if (grammars.size >= MAX_KEPT) grammars.clear()
    grammars.set(key, result)
  }
  if (!result.ok) return { id, accepted: false, error: result.error }
  const verdict = acceptText(result.grammar, text)
  if (verdict.accepted) return { id, accepted: true }
  const { at, incomplete, error } = verdict
  return { id, accepted: false, at, ...(incomplete ? { incomplete } : {}), ...(error === undefined ? {} : { error }) }
}

type Question = { readonly id: unknown; readonly kind: GrammarKind; readonly grammar: unknown; readonly text: string }

function readQuestion(
  line: string,
  where: string,
): Question | { readonly id: unknown; readonly accepted: false; readonly error: string } {
  const fail = (id: unknown, reason: string): { id: unknown; accepted: false; error: string } => ({
    id,
    accepted: false,
    error: `${where}: ${reason}`,
  })
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return fail(null, 'the line is not JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return fail(null, 'the line is not an object.')
  const { id = null, kind, grammar, text } = value as Readonly<Record<string, unknown>>
  const known = GRAMMAR_KINDS.find((one) => one === kind)
  if (!known) return fail(id, `"kind" must be one of ${GRAMMAR_KINDS.join(', ')}.`)
  if (grammar === undefined) return fail(id, '"grammar" is missing.')
  if (typeof text !== 'string') return fail(id, '"text" must be a string.')
  return { id, kind: known, grammar, text }
}
