import { FORMAT_IDS } from '@callspec/core/formats'
import { FORMATS } from '@callspec/core'
import { modelAnswer, servedFormat } from '@callspec/inspect'
import type { ModelAnswer } from '@callspec/inspect'
import { dumps } from '@callspec/python'
import type { Command, ExitCode, Invocation } from '../command.ts'
import { EXIT } from '../command.ts'
import { formatsJson, modelJson, printFormats, printModel, servedLines } from '../models/print-model.ts'
import { readModel } from '../models/read-model.ts'
import { quotedLine } from '../output.ts'
import { READERS } from '../template/options.ts'
import { nearestName, UsageError } from '../usage-error.ts'

export const formatsCommand: Command = {
  name: 'formats',
  usage: ['formats [--json]', 'formats MODEL [--json]', 'formats NAME --response-template [--for transformers|vllm]'],
  about:
    'Lists the formats: the models that use them, and the name of their tool parser in vLLM and SGLang. With MODEL it says which ' +
    'format it uses, how sure that is, and where its replies end. MODEL is the folder of a model (tekken.json, ' +
    'chat_template.jinja, tokenizer_config.json, config.json), one of its files, or a name, which allows only a guess.',
  maxPositionals: 1,
  options: {
    name: { value: 'NAME', help: 'Which of several named templates, such as rag. Default: tool_use, else default.' },
    json: { help: 'Print JSON instead of a table.' },
    'response-template': {
      help: 'Print the format NAME as a response_template of transformers, for tokenizer_config.json; or why it cannot be one.',
    },
    for: {
      value: 'READER',
      help: 'With --response-template: transformers or vllm, which refuses join in texts and thoughts. Default: transformers.',
      choices: READERS,
    },
  },
  examples: [
    'callspec formats',
    'callspec formats ./Qwen3-Coder-30B-A3B-Instruct',
    'callspec formats zai-org/GLM-4.6',
    'callspec formats qwen3-coder --response-template > response_template.json',
  ],
  notes: [
    'sure: the version of tekken.json or what the chat template writes. likely: what the response template reads, or tokens of the vocabulary. a guess: a name. ' +
      'If these disagree, the first counts. The answer may be that the format is unknown.',
    'Exit codes: 0 answered, also with unknown; 1 the format cannot be a response template; 2 misuse, or a broken file.',
  ],
  run: runFormats,
}

async function runFormats(invocation: Invocation): Promise<ExitCode> {
  const { options, output, positionals } = invocation
  const [model] = positionals
  const asJson = options.flag('json')
  if (options.flag('response-template')) return printTemplate(model ?? null, invocation)
  if (options.text('for') !== null) throw new UsageError('--for goes with --response-template.')
  if (model === undefined) {
    if (asJson) output.line(JSON.stringify(formatsJson(), null, 2))
    else printFormats(output)
    return EXIT.ok
  }
  const own = FORMATS.find(({ id }) => id === model)
  if (own !== undefined && !asJson) {
    output.line(`${own.id}: ${own.about.models}`)
    for (const line of servedLines(servedFormat(own.id))) output.line(line)
    return EXIT.ok
  }
  const answer =
    own === undefined
      ? modelAnswer(await readModel(model, invocation))
      : ({ formats: [own.id], sure: 'sure', evidence: [], lacks: null } as const)
  if (asJson) output.line(JSON.stringify(modelJson(model, answer), null, 2))
  else printModel(answer, output)
  noteNear(model, answer, invocation)
  return EXIT.ok
}

/** Prints a format as a response template, and what it reads otherwise to stderr. */
async function printTemplate(name: string | null, { options, output }: Invocation): Promise<ExitCode> {
  const format = FORMATS.find(({ id }) => id === name)
  if (format === undefined) {
    throw new UsageError(
      `--response-template needs the name of a format${name === null ? '' : `; "${quotedLine(name)}" is unknown`}. callspec formats lists them.`,
    )
  }
  const { exportTemplate } = await import('@callspec/response-template/export')
  const answer = exportTemplate(format.id, options.text('for') === 'vllm' ? 'vllm' : 'transformers')
  switch (answer.kind) {
    case 'exported':
      output.verbatim(`${dumps(answer.template, { indent: 2 })}\n`)
      for (const limit of answer.limits) output.note(`callspec: ${limit}`)
      return EXIT.ok
    case 'not-possible':
      output.note(`callspec: ${format.id} cannot be a response template. ${answer.reason}`)
      return EXIT.disagreement
    case 'not-written':
      output.note(`callspec: ${format.id}: no response template has been written for this format.`)
      return EXIT.disagreement
  }
}

/** A misspelt format may look like a model's name. */
function noteNear(model: string, { formats, evidence }: ModelAnswer, { output }: Invocation): void {
  const near = nearestName(model, FORMAT_IDS)
  const meant = near === null || formats.includes(near) ? '' : ` Did you mean ${near}?`
  if (evidence.length === 0) {
    const hint = 'callspec identify finds the format of its replies or chat template.'
    output.note(`callspec: "${quotedLine(model)}" is not a known model.${meant} ${hint}`)
  } else if (meant !== '') output.note(`callspec: "${quotedLine(model)}" is not a format.${meant}`)
}
