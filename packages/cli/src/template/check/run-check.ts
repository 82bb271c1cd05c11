import { formatNamed } from '@callspec/core'
import type { Format } from '@callspec/core'
import type { PyDict } from '@callspec/python'
import type { Invocation } from '../../command.ts'
import { EXIT } from '../../exit-codes.ts'
import type { ExitCode } from '../../exit-codes.ts'
import { chooseFormat, FORMAT_NAMES } from '../../formats.ts'
import { UsageError } from '../../usage-error.ts'
import { diffProbes } from '../diff/diff-probes.ts'
import type { DiffProbe } from '../diff/diff-probes.ts'
import { createSide, isForServers, openSide } from '../diff/side.ts'
import type { Side } from '../diff/side.ts'
import { variableSettings } from '../render/variables.ts'
import type { SpecialTokens, TemplateSource } from '../source/template-source.ts'
import { checkCalls } from './check-calls.ts'
import { checkPrompts } from './check-prompts.ts'
import type { PromptingFormat } from './check-prompts.ts'
import type { RenderMessages } from './history-reply.ts'
import { checkJson, printCheck } from './print-check.ts'

/** `callspec template check`. */
export async function runCheck(invocation: Invocation): Promise<ExitCode> {
  const { positionals, options, output } = invocation
  const [path, extra] = positionals
  if (path === undefined || extra !== undefined)
    throw new UsageError('callspec template check needs one SOURCE: the template that is held against --format.')
  const format = await formatFor(options.text('format'))
  const source = await openSide(path, invocation)
  const settings = variableSettings(options)
  const side = await createSide(source, { settings, tokens: tokensOf(format, source) })
  if (side.by === 'prompt_tokens')
    throw new UsageError(
      `${side.name}: shows only how many tokens a prompt has, no prompt. Give the template's file instead.`,
    )
  const probes = diffProbes().filter((probe) => side.server === null || isForServers(probe))
  const result = {
    side,
    format,
    prompts: isPrompting(format) ? await checkPrompts(format, probes, (probe) => side.show(probe)) : null,
    calls: await checkCalls(format, probes, (probe) => renderWith(side, probe)),
  }
  if (options.flag('json')) output.write(`${JSON.stringify(checkJson(result), null, 2)}\n`)
  else printCheck(result, output)
  const agrees = (result.prompts?.differences.length ?? 0) === 0 && result.calls.deviations.length === 0
  return agrees ? EXIT.ok : EXIT.disagreement
}

async function formatFor(name: string | null): Promise<Format> {
  if (name === null)
    throw new UsageError(
      `Which format? Give --format with one of ${FORMAT_NAMES.join(', ')}, or a file such as ./my-format.mjs.`,
    )
  const known = formatNamed(name)
  if (known !== null) return known
  const chosen = await chooseFormat(name, null)
  if (chosen.kind === 'format') return chosen.format
  throw new UsageError(`${name}: a format in the older form cannot be checked. Export one as grammarFormat makes them.`)
}

function isPrompting(format: Format): format is PromptingFormat {
  return format.prompt !== null
}

/** Where a source names no special tokens, but uses them, those of the format are meant. */
function tokensOf(format: Format, source: TemplateSource): SpecialTokens {
  const eos = format.stops.end[0]
  const first = isPrompting(format) ? firstToken(format) : null
  const writes = (token: string): boolean => source.kind === 'text' && source.template.includes(token)
  return {
    ...(first === null || writes(first) ? {} : { bos_token: first }),
    ...(eos === undefined ? {} : { eos_token: eos }),
  }
}

function firstToken({ prompt }: PromptingFormat): string | null {
  const user: PyDict = new Map([
    ['role', 'user'],
    ['content', 'Hi.'],
  ])
  const outcome = prompt({ messages: [user], tools: null, options: new Map() })
  const first = outcome.kind === 'prompted' ? outcome.parts[0] : undefined
  return first?.kind === 'token' ? first.text : null
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
