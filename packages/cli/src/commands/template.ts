import { FORMAT_IDS } from '@callspec/core/formats'
import type { Command, Invocation, OptionTable, ExitCode } from '../command.ts'
import { deprecating } from '../command.ts'
import { LINT_OPTIONS, PARSE_OPTIONS, RENDER_OPTIONS, ROUNDTRIP_OPTIONS, SOURCE_OPTIONS } from '../template/options.ts'

const FORGE_OPTIONS: OptionTable = {
  attack: {
    value: 'NAME',
    help: 'Only this attack of forge, in full: both conversations, the text and the prompts. Default: a line for each.',
    repeat: true,
  },
}

const CHECK_OPTIONS: OptionTable = {
  format: {
    short: 'f',
    value: 'NAME',
    suggested: FORMAT_IDS,
    help: 'The format with which check compares the template, and in which dataset reads replies: see callspec formats.',
  },
  fix: {
    value: 'FILE',
    help: 'Let dataset write a copy in which control tokens in texts of users and tools are escaped: \\u003c|im_end|>. Never in place.',
  },
  'every-turn': {
    help: 'Let dataset render the prompt of every turn. Default: as many as cost no more than the conversations themselves, each shape first.',
  },
}

export const templateCommand: Command = {
  name: 'template',
  usage: [
    'template render SOURCE [--variables FILE|-] [options]',
    'template render [SOURCE] --batch FILE.jsonl [options]',
    'template lint SOURCE ... [--rule ID] [--fail-on error|warning] [options]',
    'template forge SOURCE ... [--attack NAME] [--json]',
    'template diff SOURCE SOURCE [--json]',
    'template check SOURCE --format NAME [--response-template FILE] [--json]',
    'template dataset SOURCE DATA.jsonl [--format NAME] [--every-turn] [--fix FILE] [--json]',
    'template roundtrip SOURCE [--messages FILE.jsonl] [--every-cut] [--json] [--html FILE]',
    'template parse SOURCE REPLY|- --prompt FILE [options]',
    'template parse [SOURCE] --batch FILE.jsonl [--templates FILE] [options]',
  ],
  about:
    'Shows what a model receives from its chat template, as transformers renders it, ' +
    'and finds the faults of the template. ' +
    'SOURCE is a .jinja file, a tokenizer_config.json or the folder with it, a chat_template.json, a .gguf, or the ' +
    'address of a server.',
  subcommands: {
    render: 'Print the prompt, byte for byte; or one JSON line per line of --batch.',
    lint: 'Render some seventy conversations, and report what is lost, refused or shown wrongly; and what is wrong with a response_template.',
    forge: 'Put turns and calls into one text of a user or a tool, and compare the bytes with real ones.',
    diff: 'Compare the prompts of two templates.',
    check:
      'Compare a template with a format: its prompts, the calls that it writes, and what the response template reads of the replies of the format.',
    parse:
      'Read a reply by the response_template of SOURCE, as transformers and vLLM do; or answer each line of --batch.',
    roundtrip:
      'Write messages with the chat template, read them with the response template, and count those that come back.',
    dataset: 'Find what a template loses or changes in training conversations: lines with "messages", or ShareGPT.',
  },
  subcommandOptions: {
    render: [...Object.keys(RENDER_OPTIONS), ...Object.keys(SOURCE_OPTIONS)],
    lint: [...Object.keys(LINT_OPTIONS), 'response-template', ...Object.keys(SOURCE_OPTIONS)],
    forge: ['attack', 'json', ...Object.keys(SOURCE_OPTIONS)],
    diff: ['json', ...Object.keys(SOURCE_OPTIONS)],
    check: ['format', 'response-template', 'json', ...Object.keys(SOURCE_OPTIONS)],
    parse: [...Object.keys(PARSE_OPTIONS), 'batch', 'output'],
    roundtrip: [
      ...Object.keys(ROUNDTRIP_OPTIONS),
      'reader',
      'json',
      'html',
      'set',
      'now',
      ...Object.keys(SOURCE_OPTIONS),
    ],
    dataset: ['format', 'every-turn', 'fix', 'json', ...Object.keys(SOURCE_OPTIONS)],
  },
  maxPositionals: Infinity,
  options: {
    ...deprecating(RENDER_OPTIONS, { 'generation-prompt': 'write --set add_generation_prompt=false' }),
    ...LINT_OPTIONS,
    ...FORGE_OPTIONS,
    ...CHECK_OPTIONS,
    ...PARSE_OPTIONS,
    ...ROUNDTRIP_OPTIONS,
    ...SOURCE_OPTIONS,
  },
  examples: [
    'callspec template render chat_template.jinja --variables request.json',
    'callspec template render model.gguf --variables - --set enable_thinking=false',
    'callspec template lint chat_template.jinja',
    'callspec template lint http://127.0.0.1:8080 --fail-on warning',
    'callspec template forge chat_template.jinja --attack result-forges-call',
    'callspec template diff old.jinja new.jinja',
    'callspec template diff chat_template.jinja http://127.0.0.1:8080',
    'callspec template check chat_template.jinja --format qwen3-coder',
    'callspec template dataset chat_template.jinja train.jsonl',
    'callspec template parse tokenizer_config.json reply.txt --prompt prompt.txt --tools tools.json',
    "callspec template parse ./model - --prompt '' --stream 1 --events",
    'callspec template roundtrip ./model --every-cut',
    'callspec template render --batch requests.jsonl --now 2026-01-15T12:00:00Z',
  ],
  notes: [
    'Variables are JSON and keep their values: 1.0, 1e5 and integers beyond 2^53 are written as in Python. Missing ' +
      'variables are as in transformers: tools and documents are null, add_generation_prompt is true, and bos_token ' +
      'and the like are those of the tokenizer, if SOURCE has them.',
    'lint passes calls in the form that the template accepts, and prints it: a server has to do the same. Rules of severity info ' +
      'apply to very many templates, and are checked only if --rule names them, or all.',
    'Exit codes: 0 rendered, every line of --batch answered, no error found, or no other prompt; 1 the template raises, has ' +
      'an error (--fail-on warning: or a warning), a text was forged, or diff, check or dataset find something; 2 misuse or bad input.',
  ],
  run: runTemplateSubcommand,
}

/** Each subcommand is loaded when it is called. */
async function runTemplateSubcommand(invocation: Invocation): Promise<ExitCode> {
  switch (invocation.subcommand) {
    case 'lint':
      return (await import('../template/lint.ts')).runLint(invocation)
    case 'forge':
      return (await import('../template/forge.ts')).runForge(invocation)
    case 'diff':
      return (await import('../template/diff.ts')).runDiff(invocation)
    case 'dataset':
      return (await import('../template/dataset.ts')).runDataset(invocation)
    case 'parse':
      return (await import('../template/parse.ts')).runTemplateParse(invocation)
    case 'roundtrip':
      return (await import('../template/roundtrip.ts')).runRoundTrip(invocation)
    case 'check':
      return (await import('../template/check.ts')).runCheck(invocation)
    default:
      return (await import('../template/render.ts')).runRender(invocation)
  }
}
