import { formatNamed } from '@callspec/core'
import type { Format } from '@callspec/core'
import { plural } from '@callspec/eval/text'
import { tokensOfFormat } from '@callspec/inspect'
import { checkCalls, checkPrompts, createSide, diffProbes, isForServers } from '@callspec/template/check'
import type {
  CallCheck,
  CallDeviation,
  DeviationCause,
  DiffProbe,
  PromptCheck,
  PromptingFormat,
  RenderMessages,
  Side,
} from '@callspec/template/check'
import type { Invocation, ExitCode } from '../command.ts'
import { EXIT } from '../command.ts'
import { chooseFormat, WHICH_FORMAT } from '../formats.ts'
import type { Output } from '../output.ts'
import { inert, quotedLine } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import { checkResponse, printResponseCheck, responseCheckJson } from './check-response.ts'
import type { ResponseCheck } from './check-response.ts'
import { differenceJson, namesText, printDifferences, sha256Of } from './diff.ts'
import type { ForgedSource } from './forge.ts'
import { forgedAttacks, forgeSource } from './forge.ts'
import { responseOf } from './lint-response.ts'
import { openCompiledSource, variableSettings } from './source.ts'

export async function runCheck(invocation: Invocation): Promise<ExitCode> {
  const { positionals, options, output } = invocation
  const [path, extra] = positionals
  if (path === undefined || extra !== undefined)
    throw new UsageError('callspec template check needs one SOURCE: the template to compare with --format.')
  const format = await formatFor(options.text('format'))
  const source = await openCompiledSource(path, invocation)
  const settings = variableSettings(options)
  const side = await createSide(source, {
    settings,
    tokens: tokensOfFormat(format, source.kind === 'text' ? source : null),
  })
  if (side.by === 'prompt_tokens')
    throw new UsageError(
      `${side.name}: shows only the number of tokens of a prompt, not its text. Give the template's file instead.`,
    )
  const probes = diffProbes().filter((probe) => side.server === null || isForServers(probe))
  const result = {
    side,
    format,
    prompts: isPrompting(format) ? await checkPrompts(format, probes, (probe) => side.show(probe)) : null,
    calls: await checkCalls(format, probes, (probe) => renderWith(side, probe)),
    forged: await forgeSource(source, null),
    response: await responseCheckOf(path, format, invocation),
  }
  if (options.flag('json')) output.write(`${JSON.stringify(checkJson(result), null, 2)}\n`)
  else printCheck(result, output)
  const differences = result.prompts?.differences.length ?? 0
  const agrees = differences === 0 && result.calls.deviations.length === 0 && (result.response?.wrong.length ?? 0) === 0
  return agrees ? EXIT.ok : EXIT.disagreement
}

async function responseCheckOf(path: string, format: Format, { options }: Invocation): Promise<ResponseCheck | null> {
  const response = await responseOf(path, options)
  if (response === null) return null
  if (response.kind === 'schema') {
    if (options.text('response-template') === null) return null
    throw new UsageError(`${response.name}: has the older response_schema. check needs a response_template.`)
  }
  return checkResponse(response, format)
}

async function formatFor(name: string | null): Promise<Format> {
  if (name === null) throw new UsageError(`Which format? ${WHICH_FORMAT}.`)
  const known = formatNamed(name)
  if (known !== null) return known
  const chosen = await chooseFormat(name, null)
  if (chosen.kind === 'format') return chosen.format
  throw new UsageError(`${name}: a format in the older form cannot be checked. Export one made with grammarFormat.`)
}

function isPrompting(format: Format): format is PromptingFormat {
  return format.prompt !== null
}

function renderWith(side: Side, probe: DiffProbe): RenderMessages {
  return async (messages, generationPrompt) => {
    const changed = new Map([
      ...probe.variables,
      ['messages', messages],
      ['add_generation_prompt', generationPrompt],
    ] as const)
    const shown = await side.show({ ...probe, variables: changed })
    return shown.kind === 'text' ? shown.text : null
  }
}

interface CheckResult {
  readonly side: Side
  readonly format: Format
  /** Null if the prompts of the format are unknown. */
  readonly prompts: PromptCheck | null
  readonly calls: CallCheck
  /** Texts that forge turns; not a difference from the format. */
  readonly forged: ForgedSource
  /** Null without a response template. */
  readonly response: ResponseCheck | null
}

/** Prints every deviation, then a line for prompts and one for calls. */
function printCheck({ side, format, prompts, calls, forged, response }: CheckResult, output: Output): void {
  output.line(inert(`- ${format.id}: ${format.about.source}`))
  output.line(inert(`+ ${side.name}  ${side.by}`))
  if (prompts !== null) printDifferences(prompts.differences, output)
  for (const group of deviationGroups(calls.deviations)) printDeviation(group, output)
  output.line()
  output.line(prompts === null ? `The prompts of ${format.id} are not known.` : promptsText(prompts, format))
  const changed = new Set(calls.deviations.map(({ probe }) => probe)).size
  output.line(
    calls.read === 0
      ? 'The template writes no message with calls.'
      : `${plural(calls.read, 'message')} with calls written; those of ${plural(changed, 'conversation')} are read differently.`,
  )
  output.line(forgedText(forged))
  if (response !== null) printResponseCheck(response, format.id, output)
}

function promptsText({ compared, differences }: PromptCheck, { id }: Format): string {
  return differences.length === 0
    ? `All prompts of ${plural(compared, 'conversation')} are those of ${id}.`
    : `The prompts of ${differences.length} of ${plural(compared, 'conversation')} differ from those of ${id}.`
}

function forgedText({ attacks }: ForgedSource): string {
  const forged = attacks.filter(({ outcome }) => outcome === 'forged').map(({ attack }) => attack)
  return forged.length === 0
    ? 'No text of a user or a result was forged into a turn or a call.'
    : `Texts can be forged: ${forged.join(', ')}. See callspec template forge.`
}

type DeviationGroup = readonly [CallDeviation, ...CallDeviation[]]

function deviationGroups(deviations: readonly CallDeviation[]): readonly DeviationGroup[] {
  const groups = new Map<string, [CallDeviation, ...CallDeviation[]]>()
  for (const deviation of deviations) {
    const key = JSON.stringify([deviation.id, deviationText(deviation)])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [deviation])
    else group.push(deviation)
  }
  return [...groups.values()]
}

function printDeviation([first, ...others]: DeviationGroup, output: Output): void {
  output.line()
  output.line(`${output.paint('red', '✗')} ${first.probe}: ${first.id}`)
  output.line(`  ${inert(deviationText(first))}`)
  output.line(`  written: ${quotedLine(first.reply, 200)}`)
  const names = [...new Set(others.map(({ probe }) => probe))]
  if (names.length > 0) output.line(`  the same in ${namesText(names)}`)
}

function deviationText(cause: DeviationCause): string {
  switch (cause.id) {
    case 'call-not-read':
      return `read: ${cause.read} of ${plural(cause.made, 'call')}${cause.issue === null ? '' : `; ${cause.issue}`}`
    case 'call-invented':
      return `${plural(cause.read, 'call')} read, ${cause.made} made`
    case 'call-altered':
      return `${quotedLine(cause.call.name)} is read with ${quotedLine(cause.call.arguments, 120)}`
    case 'id-altered':
      return `the id ${quotedLine(cause.before)} is read as ${cause.after === null ? 'none' : quotedLine(cause.after)}`
    case 'text-lost':
      return `the text next to the call is read as "${quotedLine(cause.text)}"`
    default:
      return 'raise' in cause
        ? `the reference raises ${cause.raise}`
        : `${cause.code}: ${quotedLine(cause.message, 120)}`
  }
}

function checkJson({ side, format, prompts, calls, forged, response }: CheckResult): object {
  return {
    template: { name: side.name, sha256: sha256Of(side.template), by: side.by },
    format: format.id,
    prompts:
      prompts === null
        ? null
        : { conversations: prompts.compared, differences: prompts.differences.map(differenceJson) },
    calls: {
      messages: calls.read,
      deviations: calls.deviations.map((deviation) => ({
        id: deviation.id,
        conversation: deviation.probe,
        detail: deviationText(deviation),
        reply: deviation.reply,
      })),
    },
    forged: forgedAttacks(forged),
    ...(response === null ? {} : { response: responseCheckJson(response) }),
  }
}
