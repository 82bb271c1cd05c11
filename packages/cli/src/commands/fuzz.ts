import { FORMAT_IDS } from '@callspec/core/formats'
import { LAW_IDS } from '@callspec/fuzz'
import type { Command } from '../command.ts'
import { EXAMPLE_FORMAT } from '../formats.ts'
import { runFuzz } from '../fuzz/run-fuzz.ts'

export const fuzzCommand: Command = {
  name: 'fuzz',
  usage: [
    'fuzz --format NAMES [options]',
    "fuzz --format NAMES --impl 'COMMAND' [options]",
    'fuzz --replay PATH ... [options]',
  ],
  about:
    'Searches for texts with which a parser of tool calls breaks a law: it throws, its answer depends on how the ' +
    'stream was cut, it loses text, reads a call in a thought, or takes quadratic time. Texts are made of the ' +
    "format's own markers; each violation is shrunk to a case that can be pasted into a report. Searches the built-in parsers, " +
    'a module of yours, or any program that speaks the protocol.',
  options: {
    format: {
      short: 'f',
      help: `Formats of the texts, such as ${EXAMPLE_FORMAT}: see callspec formats; or a module with a format as its export "format". Several are searched one after the other, and share --time.`,
      value: 'NAMES',
      suggested: FORMAT_IDS,
      repeat: true,
      isList: true,
    },
    profile: {
      help: "Version of the reference, such as v0.0.26; with --impl the requested profile. Default: the format's own, and strict.",
      value: 'NAME',
    },
    impl: {
      help: 'Search a program that speaks the protocol in a session (docs/protocol.md). Run by sh -c in the current folder.',
      value: 'COMMAND',
    },
    law: {
      help: `Check only these laws: ${LAW_IDS.join(', ')}. Default: all that apply.`,
      value: 'NAMES',
      repeat: true,
      choices: LAW_IDS,
      isList: true,
    },
    runs: { help: 'Texts for every group of laws that need the same kind of text. Default: 1000.', value: 'N' },
    time: { help: 'Search for this time instead: 60s, 10m, 8h.', value: 'TIME' },
    seed: { help: 'The same seed generates the same texts. Default: 0.', value: 'N' },
    path: { help: 'Reproduce a finding. Needs its --format, --law and --seed.', value: 'PATH' },
    jobs: { help: 'Threads, or processes of --impl, at a time. Default: 1.', value: 'N' },
    corpus: {
      help: 'Draw texts from recorded outputs, unchanged and with small changes: a folder or file, JSON Lines or plain.',
      value: 'PATH',
    },
    'time-limit': { help: 'Milliseconds for one answer of --impl. Default: 5000.', value: 'MS' },
    save: {
      help: 'Keep findings as cases in DIR, where --replay checks them. Default: fixtures/laws/regressions.',
      value: 'DIR',
      whenBare: '',
    },
    replay: { help: 'Check kept cases, files or folders, instead of searching.', value: 'PATH', repeat: true },
    html: { help: 'Write the findings as a page to FILE.', value: 'FILE' },
    json: { help: 'Print everything as JSON.' },
  },
  examples: [
    `callspec fuzz --format ${EXAMPLE_FORMAT}`,
    `callspec fuzz --format ${EXAMPLE_FORMAT} --profile v0.0.16 --law split-invariance --time 60s`,
    `callspec fuzz --format ${FORMAT_IDS.slice(0, 2).join(',')} --runs 200`,
    `callspec fuzz --format ${EXAMPLE_FORMAT} --impl 'python3 packages/conformance/adapters/python-naive/naive_parser.py'`,
    `callspec fuzz --format ${EXAMPLE_FORMAT} --corpus outputs.jsonl --save`,
  ],
  notes: [
    'docs/laws.md has the laws, and the real problems that they prevent. Ctrl-C ends the search and prints the findings.',
    'The last line is "N texts, N with a call, N violations, seed S", of all formats together; --json of several formats is a list. Exit codes: 0 no violation; 1 violations; 2 misuse; 3 a program that cannot be started again, or another failure of the machine; 130 after Ctrl-C without a violation.',
  ],
  run: runFuzz,
}
