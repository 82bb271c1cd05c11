import { FORMAT_IDS } from '@callspec/core/formats'
import { EXPORT_SYNTAXES, EXPORT_TARGETS, GRAMMAR_KINDS } from '@callspec/grammar'
import { SHIPPING_ENGINES } from '@callspec/grammar/shipped'
import type { Command, ExitCode, Invocation, OptionTable } from '../command.ts'
import { asIn } from '../command.ts'
import { SOURCE_OPTIONS } from '../template/options.ts'

const CHECK_OPTIONS: OptionTable = {
  format: {
    short: 'f',
    value: 'NAME',
    suggested: FORMAT_IDS,
    help: 'The format whose writer and reader are compared: see callspec formats.',
  },
  tools: { value: 'FILE', help: 'JSON: the tools that the grammar is for, as a request or an MCP server lists them.' },
  shipped: {
    value: 'NAME',
    suggested: ['all', ...SHIPPING_ENGINES],
    help:
      'Instead of GRAMMAR: what an engine forces: a model of xgrammar (qwen_3), vllm/TAG, sglang/PARSER, llama.cpp/TEMPLATE; all, or an engine, ' +
      'for a table. Default of --tools: three tools of callspec.',
  },
  template: { value: 'SOURCE', help: 'The chat template of the model: its texts have to be accepted, too.' },
  set: { value: 'NAME=JSON', repeat: true, help: 'A variable of the template: enable_thinking=false.' },
  choice: {
    value: 'CHOICE',
    suggested: ['auto', 'required', 'none'],
    help: 'auto, required, the name of a tool, or for export none. Default: auto.',
  },
  parallel: { negatable: true, help: 'Whether a reply may have several calls. Default: yes.' },
  reasoning: { help: 'Replies begin inside a thought that the prompt has opened.' },
  html: { value: 'FILE', help: 'Also write a page.' },
}

const EXPORT_OPTIONS: OptionTable = {
  as: { value: 'SYNTAX', choices: EXPORT_SYNTAXES, help: 'The syntax of the export. Default: structural-tag.' },
  for: {
    value: 'ENGINE',
    suggested: EXPORT_TARGETS.map(({ name }) => name),
    help: 'The engine that reads the export, with its version: it decides the syntax.',
  },
}

export const grammarCommand: Command = {
  name: 'grammar',
  usage: [
    'grammar accept GRAMMAR TEXT [--kind KIND] [--json]',
    'grammar accept --batch FILE.jsonl',
    'grammar check GRAMMAR --format NAME --tools FILE [options]',
    'grammar check --shipped NAME|ENGINE|all [--tools FILE] [options]',
    'grammar export --format NAME --tools FILE [--as SYNTAX|--for ENGINE] [options]',
    'grammar lint GRAMMAR [--kind KIND] [--json]',
    'grammar show GRAMMAR [--kind KIND]',
  ],
  about:
    'Reads the grammars that engines force on tool calls as the engines do: structural tags as XGrammar, GBNF as llama.cpp. ' +
    'check compares a grammar with what the chat template and the writer of a format write, and with what its reader reads. ' +
    'export makes the grammar of all replies that a format and tools allow. GRAMMAR and TEXT are files; - is standard input.',
  subcommands: {
    accept: 'Say whether a grammar accepts a text; if not, the byte that is refused and what was expected.',
    check:
      'Find texts that the grammar refuses although the model writes them, and texts that it accepts although no reader takes them.',
    export:
      'Print the grammar of the replies that a format, tools and a choice allow, in the bytes of its writer. What the grammar cannot say ' +
      'is listed on standard error.',
    lint: 'Report the known traps of a grammar.',
    show: 'Print the rules of a grammar.',
  },
  subcommandOptions: {
    accept: ['batch', 'kind', 'json'],
    check: [...Object.keys(CHECK_OPTIONS), 'kind', 'json', ...Object.keys(SOURCE_OPTIONS)],
    export: ['format', 'tools', 'choice', 'parallel', 'reasoning', ...Object.keys(EXPORT_OPTIONS), 'json'],
    lint: ['kind', 'json'],
    show: ['kind'],
  },
  maxPositionals: 2,
  options: {
    batch: {
      value: 'FILE',
      help: 'A line {"id", "kind", "grammar", "text"} each; prints {"id", "accepted", "at", "incomplete", "error"} for it.',
    },
    kind: {
      value: 'KIND',
      choices: GRAMMAR_KINDS,
      help: 'The syntax of GRAMMAR. Default: structural_tag for JSON, else gbnf.',
    },
    json: { help: 'Print JSON.' },
    ...CHECK_OPTIONS,
    ...EXPORT_OPTIONS,
    ...asIn('template', SOURCE_OPTIONS),
  },
  examples: [
    'callspec grammar accept tag.json reply.txt',
    'callspec grammar accept --batch texts.jsonl',
    'callspec grammar check --shipped qwen_3_coder --tools tools.json',
    'callspec grammar check --shipped vllm',
    'callspec grammar check grammar.gbnf --format llama3-json --tools tools.json --choice required',
    'callspec grammar export --format qwen3-coder --tools tools.json --choice required',
    'callspec grammar export --format llama3-json --tools tools.json --for llama.cpp@v0.5.0',
    'callspec grammar lint tag.json',
  ],
  notes: [
    'A grammar of llama.cpp may be JSON: {"kind": "gbnf", "grammar": …, "lazy": true, "triggers": [{"type": 1, "value": "<tool_call>"}]}, or ' +
      'with "before", the generation prompt, where it begins with that.',
    'Exit codes: 0 accepted, every line of --batch answered, no finding, or notes only; 1 refused, or something was found; 2 misuse, or a ' +
      'grammar that cannot be read.',
  ],
  run: runGrammarSubcommand,
}

/** Each subcommand is loaded when it is called. */
async function runGrammarSubcommand(invocation: Invocation): Promise<ExitCode> {
  switch (invocation.subcommand) {
    case 'check':
      return (await import('../grammar/check.ts')).runCheck(invocation)
    case 'export':
      return (await import('../grammar/export.ts')).runExport(invocation)
    case 'lint':
      return (await import('../grammar/lint.ts')).runLint(invocation)
    case 'show':
      return (await import('../grammar/lint.ts')).runShow(invocation)
    default:
      return (await import('../grammar/accept.ts')).runAccept(invocation)
  }
}
