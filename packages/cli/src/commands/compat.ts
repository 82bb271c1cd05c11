import { FORMAT_IDS } from '@callspec/core/formats'
import { CompatDataError, openCompatData } from '@callspec/compat-data'
import type { CompatData } from '@callspec/compat-data'
import type { Command, ExitCode, Invocation } from '../command.ts'
import { EXIT } from '../command.ts'
import { printEngine } from '../compat/print-engine.ts'
import { printModelOn } from '../compat/print-model.ts'
import { UsageError } from '../usage-error.ts'

export const compatCommand: Command = {
  name: 'compat',
  usage: [
    'compat ENGINE[@VERSION] [--format NAMES] [--since VERSION]',
    'compat --model NAME --engine ENGINE[@VERSION]',
  ],
  about:
    'Prints what an engine reads wrong of the strict cases, what is new since the version before, and what is gone. With --model: ' +
    'whether tool calls of a model work there, with which flag, and what is known to break. All of it is recorded data; nothing runs.',
  maxPositionals: 1,
  options: {
    format: {
      short: 'f',
      value: 'NAMES',
      help: 'Only these formats, with every wrong case.',
      suggested: FORMAT_IDS,
      repeat: true,
      isList: true,
    },
    since: { value: 'VERSION', help: 'Compare with this version. Default: the one before.' },
    model: { short: 'm', value: 'NAME', help: 'The folder of a model, or its name: see callspec formats.' },
    engine: { value: 'NAME', help: 'With --model: the engine, such as vllm or vllm@0.33.' },
    name: { value: 'NAME', help: 'Which of several named templates, such as rag. Default: tool_use, else default.' },
    data: { value: 'DIR', help: 'The folder data of another @callspec/compat-data. Default: the installed one.' },
    json: { help: 'Print JSON instead.' },
  },
  examples: [
    'callspec compat ollama',
    'callspec compat ollama --format glm-4.7',
    'callspec compat --model Qwen3-Coder-30B --engine ollama',
  ],
  notes: [
    'whole, streamed, in tokens: a reply as one text, in the pieces of a case, token by token. right: passed, or right but for white space. ' +
      'cut by policy: what there is of a call that was cut off is handed on. contested: the case may be wrong. wrong: refused, failed ' +
      'or errored. not asked: skipped, or a stream that no user meets.',
    'Exit codes: 0 answered; 2 misuse, an unknown engine, version or model, or data that cannot be read.',
  ],
  run: runCompat,
}

async function runCompat(invocation: Invocation): Promise<ExitCode> {
  const { options, positionals } = invocation
  const [given] = positionals
  const [model, engine] = [options.text('model'), options.text('engine')]
  const data = openedData(options.text('data'))
  if (model === null) {
    if (engine !== null)
      throw new UsageError('--engine belongs to --model NAME. Without it write: callspec compat ENGINE')
    if (given === undefined) throw new UsageError(`compat needs an engine. Known: ${namesOf(data)}.`)
    printEngine(data, given, invocation)
    return EXIT.ok
  }
  const misplaced = ['since', 'format'].find((name) =>
    name === 'format' ? options.list(name).length > 0 : options.text(name) !== null,
  )
  if (misplaced !== undefined) throw new UsageError(`--${misplaced} belongs to callspec compat ENGINE, without --model`)
  const named = engine ?? given
  if (named === undefined) throw new UsageError(`--model needs --engine. Known: ${namesOf(data)}.`)
  await printModelOn(data, { model, engine: named }, invocation)
  return EXIT.ok
}

function namesOf({ index }: CompatData): string {
  return index.engines.map(({ name }) => name).join(', ')
}

function openedData(folder: string | null): CompatData {
  try {
    return openCompatData(folder ?? undefined)
  } catch (error) {
    if (error instanceof CompatDataError) throw new UsageError(error.message)
    throw error
  }
}
