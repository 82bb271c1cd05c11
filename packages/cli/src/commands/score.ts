import { FORMATS } from '@callspec/core'
import { formats } from '@callspec/core/qwen-agent'
import { TEXT_FIELDS } from '@callspec/eval/outputs'
import type { Command, ExitCode, Invocation } from '../command.ts'
import { EXAMPLE_FORMAT } from '../formats.ts'
import { SCORE_KINDS, scoreRunOf } from '../score/run.ts'
import { BFCL_HANDLER_NAMES, scoreBfclFile, scoreExam } from '../score/score-bfcl.ts'
import { OUTPUT_FORMATS, scoreTexts } from '../score/score-outputs.ts'
import { UsageError } from '../usage-error.ts'

export const scoreCommand: Command = {
  name: 'score',
  usage: [
    'score FILE --format NAME [options]',
    'score FILE --format ./my-format.mjs [options]',
    'score FILE --response-template FILE [options]',
    'score FILE [options]                            answers and chats of OpenAI-compatible servers',
    'score FILE --kind bfcl --questions FILE --answers FILE [options]',
    'score FILE --kind qwen-exam [options]',
  ],
  about:
    'Counts how many recorded outputs of real models can be parsed, strictly and with named repairs, per model, with ' +
    'what failed and why. FILE is JSON Lines, a JSON array, or JSON values one after the other, packed (.gz) or not, of any ' +
    'size: it is read as a stream. - is standard input. Its kind is found by the first rows, and printed: texts ' +
    `(${TEXT_FIELDS.join(', ')}, the first that is there), OpenAI answers, Batch outputs of OpenAI and vLLM, chat logs, ` +
    'lm-eval samples, ShareGPT conversations, GenAI spans of OpenTelemetry. Rows that name another "format" are counted, not parsed.',
  maxPositionals: 1,
  options: {
    format: {
      short: 'f',
      help: `Format of the outputs, such as ${EXAMPLE_FORMAT}: see callspec formats; or a module with a PromptFormat as its export "format". ${alsoNamed()}. The default is native for answers and chats, python with --kind bfcl.`,
      value: 'NAME',
      suggested: OUTPUT_FORMATS,
    },
    'response-template': {
      value: 'FILE',
      help: 'Read the texts by this response template, instead of a format: a model folder, its tokenizer_config.json, or a file of the template alone. strict parse: as transformers reads; parse: also what vLLM keeps.',
    },
    outputs: { help: 'The same as FILE.', value: 'FILE', deprecated: 'write FILE without an option' },
    kind: {
      help:
        'The kind of the file, instead of finding it. outputs: a text per row. openai: answers of an OpenAI-compatible server, ' +
        'also with their requests. openai-batch: a Batch output. chat, sharegpt: conversations, of which every reply of the ' +
        'model is scored. lm-eval: samples_*.jsonl. otel: spans, and logs, of the file exporter of OpenTelemetry. turns: turns.jsonl of a run. bfcl: a result file of BFCL, judged as BFCL ' +
        "does. qwen-exam: replies to the exam of Qwen's repository, for its three figures.",
      value: 'KIND',
      choices: SCORE_KINDS,
    },
    questions: { help: 'With --kind bfcl: the file of questions with the functions.', value: 'FILE' },
    answers: { help: 'With --kind bfcl: the file of possible answers.', value: 'FILE' },
    handler: {
      help:
        "With --kind bfcl: how BFCL decodes the outputs. Default: its handler for the row's model, where that is one of " +
        'August 2024; else what the row says it is; else --format.',
      value: 'NAME',
      choices: BFCL_HANDLER_NAMES,
    },
    model: {
      short: 'm',
      help: "With --kind bfcl: the model's name. Default: the folder of the results.",
      value: 'NAME',
    },
    field: { help: 'Member of a row that holds the text, or a path to it: resps.0.0.', value: 'PATH' },
    json: { help: 'Print the summary as JSON instead of tables.' },
  },
  examples: [
    `callspec score outputs.jsonl --format ${EXAMPLE_FORMAT}`,
    'callspec score outputs.jsonl --format ./my-format.mjs',
    `callspec score log.jsonl --format ${EXAMPLE_FORMAT} --field completion --json`,
    `callspec score samples_my_task.jsonl --format ${EXAMPLE_FORMAT} --field resps.0.0`,
    'callspec score server-log.jsonl.gz',
    'callspec score qwen3-8b/BFCL_v4_simple_python_result.json --kind bfcl --format native --questions BFCL_v4_simple_python.json --answers possible_answer/BFCL_v4_simple_python.json',
  ],
  notes: [
    `Optional members of a row: id, model, format (${alsoNamed()}), functions. A row without ` +
      'a call counts neither as success nor as failure.',
    'Requests that a server answered with an error are counted as failed, and not as a fault of the model. Calls that a server ' +
      'has read are judged as native ones, in any format of the text.',
    'With a module, strict parse means: "parse" gives kind "parsed", a call, and no issue (other than ' +
      'text-after-call-dropped and partial-stop-word); parse means: a call was found all the same. Issue codes are the ' +
      'reasons. An exception of the module fails its row.',
    `BFCL's handlers: ${BFCL_HANDLER_NAMES.join(', ')}. python and native decode as its later releases do, ${Object.keys(formats).join(', ')} as our formats.`,
    'A text or arguments that end before the arguments are closed were cut: repairs that would close them are no parse success.',
    'Exit codes: 0 rows were scored; 2 none was; 3 more than a tenth of the rows cannot be read, so that the figures do not speak for ' +
      'the file.',
  ],
  run: runScore,
}

async function runScore(invocation: Invocation): Promise<ExitCode> {
  const { options } = invocation
  const scoring = scoreRunOf(invocation)
  const { kind } = scoring
  const unused = ['questions', 'answers', 'handler', 'model'].find((name) => options.text(name) !== null)
  if (unused !== undefined && kind !== 'bfcl') throw new UsageError(`--${unused} belongs to --kind bfcl`)
  if (options.text('response-template') !== null) {
    if (options.text('format') !== null)
      throw new UsageError('--response-template reads instead of a format: give it or --format.')
    if (kind === 'bfcl' || kind === 'qwen-exam')
      throw new UsageError(`--response-template does not go with --kind ${kind}.`)
  }
  switch (kind) {
    case 'bfcl':
      return scoreBfclFile(invocation, scoring)
    case 'qwen-exam':
      return scoreExam(invocation, scoring)
    default:
      return scoreTexts(invocation, { ...scoring, kind })
  }
}

/** Other names of formats: `hermes: nous`. */
function alsoNamed(): string {
  return FORMATS.flatMap(({ id, aliases = [] }) => (aliases.length === 0 ? [] : [`${aliases.join(', ')}: ${id}`])).join(
    '; ',
  )
}
