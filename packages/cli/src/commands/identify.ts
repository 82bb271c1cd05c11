import type { Command, Invocation, ExitCode } from '../command.ts'
import { SOURCE_OPTIONS } from '../template/options.ts'
import { UsageError } from '../usage-error.ts'

export const identifyCommand: Command = {
  name: 'identify',
  usage: [
    'identify FILE|- [--tools tools.json] [--response-template FILE] [--json]',
    'identify --template SOURCE [--json]',
  ],
  about:
    "Finds the format of a model's replies by how well each format reads them: calls found, issues, text left over, " +
    'known names. FILE is one reply, or many in the forms that callspec score reads: texts, OpenAI ' +
    'answers, Batch outputs, chat logs, lm-eval samples, ShareGPT conversations; or JSON texts, one per line. ' +
    'Formats that read a reply alike are one answer. A call that no format can read is shown with its fault. Each format reads by ' +
    'its version strict if it has one; versions of a reference that read the reply differently are listed.',
  maxPositionals: 1,
  options: {
    tools: {
      value: 'FILE',
      help: 'The offered tools (JSON5): a call then needs the name of one of them. Rows may list their own.',
    },
    field: { value: 'PATH', help: 'Member of a row that holds the text, or a path to it: resps.0.0.' },
    template: {
      value: 'SOURCE',
      help:
        'Find the format of a chat template instead, by the calls that it writes: a .jinja file, a tokenizer_config.json or the ' +
        'folder with it, a .gguf, or the address of a server.',
    },
    'response-template': {
      value: 'FILE',
      help: 'Also read replies by this response template: a model folder, its tokenizer_config.json, or a file of the template alone.',
    },
    json: { help: 'Print a line of JSON per reply: its id, the formats, and how each format reads it.' },
    ...SOURCE_OPTIONS,
  },
  examples: [
    'callspec identify reply.txt',
    'callspec identify server-log.jsonl --tools tools.json --json',
    'callspec identify --template chat_template.jinja',
    `printf '[TOOL_CALLS]clock[ARGS]{"zone": "UTC"}' | callspec identify -`,
  ],
  notes: [
    'In a line of --json "formats" holds the ids of the answer, and "ranking" all formats, the best first: "score" is 0 for no ' +
      'call, and 1 for calls with known names, no issue, and nothing left over; "why" is one sentence, "version" the version that read it. ' +
      '"broken" is a call that could not be read, "stray" the markers in a text without a call.',
    'Exit codes: 0 there is an answer, even if no format finds a call; 2 misuse, or no reply.',
  ],
  run: identifyRepliesOrTemplate,
}

async function identifyRepliesOrTemplate(invocation: Invocation): Promise<ExitCode> {
  const { options, positionals } = invocation
  const template = options.text('template')
  if (template === null) return (await import('../identify/run-identify.ts')).runIdentify(invocation)
  if (
    positionals.length > 0 ||
    options.text('tools') !== null ||
    options.text('field') !== null ||
    options.text('response-template') !== null
  )
    throw new UsageError(
      '--template takes neither FILE nor --tools, --field or --response-template: a template says itself what it writes.',
    )
  return (await import('../identify/identify-template.ts')).runIdentifyTemplate(template, invocation)
}
