import { TEXT_FIELDS } from '@callspec/eval'
import type { Command, Invocation } from '../command.ts'
import type { ExitCode } from '../exit-codes.ts'
import { SCORE_KINDS, scoreRunOf } from '../score/run.ts'
import { BFCL_HANDLER_NAMES, scoreBfclFile } from '../score/score-bfcl.ts'
import { scoreExam } from '../score/score-exam.ts'
import { OUTPUT_FORMATS, scoreTexts } from '../score/score-outputs.ts'
import { UsageError } from '../usage-error.ts'

export const command: Command = {
  name: 'score',
  usage: [
    'score --format NAME --outputs FILE.jsonl[.gz] [options]',
    'score --format ./my-format.mjs --outputs FILE.jsonl[.gz] [options]',
    'score --kind bfcl --outputs RESULTS --questions FILE --answers FILE [options]',
    'score --kind openai|qwen-exam --outputs FILE [options]',
  ],
  about:
    'Says how many recorded outputs of real models can be parsed, strictly and with named repairs, per model, with ' +
    'what failed and why. Reads JSON Lines as a stream, packed or not, of any size. The text of a row stands under ' +
    `${TEXT_FIELDS.join(', ')} (the first that is there). Rows that name another "format" are counted, not parsed.`,
  options: {
    format: {
      help: `Format of the outputs: ${OUTPUT_FORMATS.join(', ')}, or a module with a PromptFormat as its export "format". hermes is another name for nous. With --kind openai the default is native, with bfcl python.`,
      value: 'NAME',
    },
    outputs: { help: 'File of recorded outputs, or - for standard input.', value: 'FILE' },
    kind: {
      help:
        'What the file is. outputs (the default): a text per row. openai: answers of an OpenAI-compatible server, also with ' +
        'their requests, also a Batch output. bfcl: a result file of BFCL, judged as BFCL does. qwen-exam: replies to the ' +
        "exam of Qwen's repository, for its three figures.",
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
    model: { help: "With --kind bfcl: the model's name. Default: the folder of the results.", value: 'NAME' },
    field: { help: 'Member of a row that holds the text.', value: 'NAME' },
    json: { help: 'Print the summary as JSON instead of tables.' },
  },
  examples: [
    'callspec score --format nous --outputs outputs.jsonl',
    'callspec score --format ./my-format.mjs --outputs outputs.jsonl',
    'callspec score --format react --outputs log.jsonl --field completion --json',
    'callspec score --kind openai --outputs server-log.jsonl.gz',
    'callspec score --kind bfcl --format native --outputs qwen3-8b/BFCL_v4_simple_python_result.json --questions BFCL_v4_simple_python.json --answers possible_answer/BFCL_v4_simple_python.json',
  ],
  notes: [
    'Optional members of a row: id, model, format (hermes and hermes_tool_call_xml are nous), functions. A row without ' +
      'a call counts neither as success nor as failure.',
    'With a module, strict parse means: "parse" gives kind "parsed", a call, and no issue (other than ' +
      'text-after-call-dropped and partial-stop-word); parse means: a call was found all the same. Issue codes are the ' +
      'reasons. An exception of the module fails its row.',
    `BFCL's handlers: ${BFCL_HANDLER_NAMES.join(', ')}. python and native decode as its later releases do, nous, qwen and react as our formats.`,
    'Exit codes: 0 rows were scored, 2 none was.',
  ],
  run,
}

async function run(invocation: Invocation): Promise<ExitCode> {
  const { options } = invocation
  const scoring = scoreRunOf(invocation)
  const unused = ['questions', 'answers', 'handler', 'model'].find((name) => options.text(name) !== null)
  if (unused !== undefined && scoring.kind !== 'bfcl') throw new UsageError(`--${unused} belongs to --kind bfcl`)
  switch (scoring.kind) {
    case 'bfcl':
      return scoreBfclFile(invocation, scoring)
    case 'qwen-exam':
      return scoreExam(invocation, scoring)
    default:
      return scoreTexts(invocation, scoring)
  }
}
