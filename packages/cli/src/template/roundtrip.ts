import type { OnRead } from '@callspec/eval'
import { plural } from '@callspec/eval/text'
import { isDict } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { resultData } from '@callspec/response-template'
import type { RoundTrip, RoundTripCase, RoundTripVerdict, TemplatePair } from '@callspec/response-template/roundtrip'
import { conversationCases, roundTrip, roundTripCases, turnEnd } from '@callspec/response-template/roundtrip'
import { createRenderer, readJson } from '@callspec/template/source'
import type { ExitCode, Invocation } from '../command.ts'
import { EXIT } from '../command.ts'
import type { Output } from '../output.ts'
import { inert, quotedLine } from '../output.ts'
import { readShare, sourceLines } from '../score/run.ts'
import { UsageError } from '../usage-error.ts'
import { workProgress } from '../work-progress.ts'
import { jsonText, readerFrom } from './parse.ts'
import { findResponseSource, loadedTemplate, readResponseSource } from './response-source.ts'
import type { ResponseSource } from './response-source.ts'
import { writeFileAtomically } from '../write-file.ts'
import { openCompiledSource, variableSettings } from './source.ts'

/** Takes messages through the chat template and the response template of a source, and counts those that come back. */
export async function runRoundTrip(invocation: Invocation): Promise<ExitCode> {
  const { positionals, options, output } = invocation
  const [path, extra] = positionals
  if (path === undefined || extra !== undefined)
    throw new UsageError(
      'callspec template roundtrip needs one SOURCE: a folder or tokenizer_config.json with both templates.',
    )
  const source = await openCompiledSource(path, invocation)
  const response = await responseSourceOf(path, options.text('response-template'))
  if (response.kind === 'schema')
    throw new UsageError(`${response.name}: has the older response_schema. roundtrip needs a response_template.`)
  const renderer = createRenderer(source, variableSettings(options))
  const pair: TemplatePair = {
    render: (variables) => renderer.render(variables),
    template: loadedTemplate(response.value, response.name),
    reader: readerFrom(options),
    isCut: options.flag('every-cut'),
  }
  const end = await turnEnd(pair.render)
  const trips: RoundTrip[] = []
  const messages = options.text('messages')
  const { cases, of, share } = givenCases(messages)
  const progress = workProgress({ output, noun: 'message', of })
  for await (const one of cases) {
    trips.push(await roundTrip(one, pair, end))
    progress.step(trips.length, share())
  }
  output.progressDone()
  if (trips.length === 0) throw new UsageError(`${messages ?? path}: contains no message of an assistant.`)
  const shown = { name: source.name, trips }
  if (options.flag('json')) output.line(jsonText(tripsData(shown), 2))
  else printTrips(shown, output)
  await writePage(shown, invocation)
  return trips.some(isFault) ? EXIT.disagreement : EXIT.ok
}

/** The response template of a source, or of the file that `--response-template` names. */
export async function responseSourceOf(path: string, given: string | null): Promise<ResponseSource> {
  if (given !== null) return readResponseSource(given)
  const found =
    /\.json$|[^.]$/.test(path) && !path.endsWith('.jinja') && !path.endsWith('.gguf')
      ? await findResponseSource(path)
      : null
  if (found !== null) return found
  throw new UsageError(`${path}: has no response template. Give it with --response-template FILE.`)
}

interface GivenCases {
  readonly cases: Iterable<RoundTripCase> | AsyncIterable<RoundTripCase>
  readonly of?: number
  /** How much of the file was read, from 0 to 1, where its size is known. */
  readonly share: () => number | undefined
}

function givenCases(path: string | null): GivenCases {
  if (path === null) {
    const cases = roundTripCases()
    return { cases, of: cases.length, share: () => undefined }
  }
  const { onRead, share } = readShare(path)
  return { cases: casesOf(path, onRead), share }
}

async function* casesOf(path: string, onRead: OnRead): AsyncGenerator<RoundTripCase> {
  const name = path === '-' ? 'stdin' : path
  let number = 0
  for await (const line of sourceLines(path, onRead)) {
    number += 1
    if (line.trim() === '') continue
    const value = readJson(line, `${name}:${number}`)
    if (!isDict(value) || !value.has('messages')) throw new UsageError(`${name}:${number}: has no "messages".`)
    yield* conversationCases(value, `${name}:${number}`)
  }
}

/** What a user can do something about; a chat template that refuses a message is no fault of the pair. */
function isFault({ verdict, cuts }: RoundTrip): boolean {
  return verdict === 'differs' || verdict === 'raises' || (cuts !== null && cuts.length > 0)
}

interface ShownTrips {
  readonly name: string
  readonly trips: readonly RoundTrip[]
}

const VERDICT_TEXT: Readonly<Record<RoundTripVerdict, string>> = {
  same: 'come back',
  differs: 'come back as another message',
  'chat-template-loses': 'are not written by the chat template',
  raises: 'are refused by the reader',
  'chat-template-refuses': 'are refused by the chat template',
}

const VERDICTS: readonly RoundTripVerdict[] = [
  'same',
  'differs',
  'raises',
  'chat-template-loses',
  'chat-template-refuses',
]
/** Examples per verdict that are printed; --json has all. */
const EXAMPLES = 12

function printTrips({ name, trips }: ShownTrips, output: Output): void {
  output.line(output.paint('bold', inert(name)))
  for (const verdict of VERDICTS) {
    const found = trips.filter((trip) => trip.verdict === verdict)
    if (found.length > 0) output.line(`  ${found.length} of ${trips.length} ${VERDICT_TEXT[verdict]}`)
  }
  const notPrefix = trips.filter(({ written }) => written !== null && !written.isPromptPrefix).length
  if (notPrefix > 0)
    output.line(
      `  ${notPrefix} of ${trips.length} do not begin with the prompt that asks for them: the beginning that both share is used`,
    )
  const cut = trips.filter(({ cuts }) => cuts !== null && cuts.length > 0)
  if (trips.some(({ cuts }) => cuts !== null))
    output.line(`  ${cut.length} of ${trips.length} give another message when the reply is cut in two`)
  for (const verdict of VERDICTS.filter((each) => each !== 'same')) {
    const found = trips.filter((trip) => trip.verdict === verdict)
    for (const trip of found.slice(0, EXAMPLES)) printTrip(trip, output)
    if (found.length > EXAMPLES) output.line(`… ${found.length - EXAMPLES} more of this kind: --json`)
  }
  for (const trip of cut.slice(0, EXAMPLES)) printCut(trip, output)
}

function printTrip({ id, verdict, differs, written, result, refusal }: RoundTrip, output: Output): void {
  const parts = differs.length === 0 ? '' : ` (${differs.join(', ')})`
  const color = verdict === 'differs' || verdict === 'raises' ? 'red' : 'dim'
  output.line(`${output.paint(color, verdict)} ${inert(id)}${parts}`)
  if (written !== null) output.line(`  written  ${quotedLine(written.reply, 150)}`)
  if (refusal !== null) output.line(`  refused  ${quotedLine(refusal, 150)}`)
  if (result !== null) output.line(`  read as  ${quotedLine(jsonText(resultData(result)), 200)}`)
}

function printCut({ id, written, cuts }: RoundTrip, output: Output): void {
  const [first] = cuts ?? []
  if (written === null || first === undefined) return
  const pieces = [written.reply.slice(0, first), written.reply.slice(first)]
  output.line(`${output.paint('red', 'cut')} ${inert(id)} at ${plural(cuts?.length ?? 0, 'place')}`)
  output.line(`  such as  ${pieces.map((piece) => `"${quotedLine(piece, 60)}"`).join(' then ')}`)
}

async function writePage({ name, trips }: ShownTrips, { options, output }: Invocation): Promise<void> {
  const path = options.text('html')
  if (path === null) return
  const { renderRoundTrip } = await import('@callspec/report')
  const rows = trips.map(({ id, verdict, differs, written, result, refusal, cuts }) => ({
    id,
    verdict,
    differs,
    reply: written?.reply ?? null,
    outcome: result === null ? (refusal ?? '') : jsonText(resultData(result)),
    cuts: cuts?.length ?? null,
  }))
  await writeFileAtomically(path, renderRoundTrip({ name, trips: rows }))
  output.note(`page: ${path}`)
}

function tripsData({ name, trips }: ShownTrips): PyDict {
  const counts = VERDICTS.map(
    (verdict) => [verdict, BigInt(trips.filter((trip) => trip.verdict === verdict).length)] as const,
  )
  return new Map<string, PyValue>([
    ['schema', 1n],
    ['kind', 'template-roundtrip'],
    ['name', name],
    ['messages', BigInt(trips.length)],
    ['counts', new Map(counts)],
    ['trips', trips.map(tripData)],
  ])
}

function tripData({ id, verdict, differs, written, result, cuts, refusal }: RoundTrip): PyDict {
  const reply: readonly (readonly [string, PyValue])[] =
    written === null
      ? []
      : [
          ['prompt', written.prompt],
          ['reply', written.reply],
          ['prompt_is_prefix', written.isPromptPrefix],
        ]
  return new Map<string, PyValue>([
    ['id', id],
    ['verdict', verdict],
    ['differs', differs],
    ...reply,
    ...(result === null ? [] : resultData(result)),
    ...(cuts === null ? [] : [['cuts', cuts.map(BigInt)] as const]),
    ...(refusal === null ? [] : [['refusal', refusal] as const]),
  ])
}
