import { GRAMMAR_KINDS } from '@callspec/grammar'
import type { Command, ExitCode, Invocation } from '../command.ts'

export const grammarCommand: Command = {
  name: 'grammar',
  usage: ['grammar accept GRAMMAR TEXT [--kind KIND] [--json]', 'grammar accept --batch FILE.jsonl'],
  about:
    'Reads the grammars that engines force on tool calls, and accepts texts as the engines do: structural tags as XGrammar, GBNF as llama.cpp. ' +
    'GRAMMAR and TEXT are files; - is standard input.',
  subcommands: {
    accept: 'Say whether a grammar accepts a text; if not, the byte that is refused and what was expected.',
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
  },
  examples: ['callspec grammar accept tag.json reply.txt', 'callspec grammar accept --batch texts.jsonl'],
  notes: [
    'Exit codes: 0 accepted, or every line of --batch answered; 1 refused; 2 misuse, or a grammar that cannot be read.',
  ],
  run: runGrammarSubcommand,
}

/** Each subcommand is loaded when it is called. */
async function runGrammarSubcommand(invocation: Invocation): Promise<ExitCode> {
  return (await import('../grammar/accept.ts')).runAccept(invocation)
}
