import { rm } from 'node:fs/promises'
import { plural } from '@callspec/eval/text'
import type { CiFinding } from '../ci-findings.ts'
import { reportToCi, SARIF_OPTION } from '../ci-findings.ts'
import { workProgress } from '../work-progress.ts'
import type { Command, ExitCode, Invocation, OptionTable } from '../command.ts'
import { EXIT } from '../command.ts'
import type { Output } from '../output.ts'
import { inert } from '../output.ts'
import type { Check } from '../regression/check.ts'
import { checkFixture, listFixtures, readFixtures, staleGolden } from '../regression/check.ts'
import { describeDrift } from '../regression/compare.ts'
import { admitTemplate, CONFIG_NAME, readGoldenConfig } from '../regression/config.ts'
import { readTemplate } from '../regression/template.ts'
import { RENDER_SETTINGS, settingOptions } from '../request/settings.ts'
import { writeChosenFile } from '../write-file.ts'

/** The settings of the configuration file. */
const GOLDEN_SETTINGS: OptionTable = {
  ...RENDER_SETTINGS,
  as: {
    ...RENDER_SETTINGS['as'],
    help: 'messages, text or chatml: how messages become the golden text. Default: chatml.',
  },
  module: { value: 'FILE', help: 'A module that exports `render(request)` (a text or messages), or a `format`.' },
  command: { value: 'CMD', help: 'A shell command: one JSON request on stdin, the prompt on stdout.' },
  template: {
    value: 'SOURCE',
    help: 'A chat template: a .jinja file, tokenizer_config.json or its folder, or a .gguf. Members of a fixture are its variables.',
  },
  name: { value: 'NAME', help: 'Which of several named templates of SOURCE. Default: default.' },
  'time-limit': { value: 'MS', help: 'Milliseconds for one run of the command. Default: 10000.' },
}

/** Settings of the template and its command belong in the configuration, so that all runs use the same. */
const OF_FILES: readonly string[] = [
  ...['parallel', 'function-choice', 'code-mode', 'multimodal', 'audio', 'model', 'client', 'raw-api', 'allow-special'],
  ...['default-system', 'max-input-tokens', 'time-limit'],
]

export const goldenCommand: Command = {
  name: 'golden',
  usage: ['golden verify [FOLDER] [options]', 'golden update [FOLDER] [options]'],
  about:
    'Regression test of your own prompt templates. Every .json5 or .json file in FOLDER is a request (messages, tools, ' +
    'settings as in `callspec render`) for the template under test, or holds a rendered "prompt"; every .txt file is a ' +
    'rendered prompt. The prompt of weather.json5 is compared, byte by byte, with weather.golden.txt in the same folder.',
  subcommands: {
    verify: 'Compare, and show every difference. Writes nothing.',
    update: 'Accept: write new and changed prompts, remove golden files without a fixture.',
  },
  maxPositionals: 1,
  options: {
    ...settingOptions(GOLDEN_SETTINGS, { file: `${CONFIG_NAME} or in the fixture`, rare: OF_FILES }),
    config: { short: 'c', value: 'FILE', help: `Default: ${CONFIG_NAME} in FOLDER or here.` },
    sarif: SARIF_OPTION,
    json: { help: 'Print the result of every fixture as JSON, with the place where a difference begins.' },
  },
  examples: [
    'callspec golden verify prompts --module ./my-template.mjs',
    "callspec golden update prompts --command 'python3 render.py'",
    'callspec golden verify prompts --template chat_template.jinja',
  ],
  notes: [
    `The template is --format, --module, --command or --template, or the key of that name in ${CONFIG_NAME}, where every option is ` +
      'a key and "fixtures" names the folder. A module receives a plain JavaScript object {messages, tools, language, ' +
      'parallelCalls, toolChoice, codeMode} with the members that the fixture adds; a command receives it as one line of ' +
      'JSON, without loss.',
    'Exit codes: 0 all equal (verify) or all accepted (update); 1 drift, a missing or stale golden file, or a template ' +
      'that fails; 2 misuse, a malformed fixture or a prompt that UTF-8 cannot carry, before anything is written.',
  ],
  run: runGolden,
}

async function runGolden({ subcommand, positionals, options, output, environment }: Invocation): Promise<ExitCode> {
  const config = await readGoldenConfig(GOLDEN_SETTINGS, options, positionals[0] ?? null)
  const folder = await listFixtures(config.folder)
  await admitTemplate(config, output)
  const template = await readTemplate(config)
  const fixtures = await readFixtures(folder, template)
  if (template !== null) output.note(`template: ${inert(template.name)}`)
  const checks: Check[] = []
  const progress = workProgress({ output, noun: 'fixture', of: fixtures.length })
  for (const [index, fixture] of fixtures.entries()) {
    progress.step(index)
    checks.push(await checkFixture(fixture, folder, template))
  }
  const stale = staleGolden(folder)
  output.progressDone()
  const isJson = options.flag('json')
  if (isJson) output.line(JSON.stringify(goldenJson(checks, stale), null, 2))
  const reported = isJson ? { ...output, line: () => undefined } : output
  if (subcommand === 'update') return update(checks, stale, reported)
  const code = verify(checks, stale, reported)
  const total = goldenTotal(checks, stale)
  const findings = [
    ...checks.flatMap(checkFinding),
    ...stale.map((path) => finding('golden-stale', path, 'It has no fixture.')),
  ]
  await reportToCi(
    { findings, rules: RULES, title: 'callspec golden verify', total, sarif: options.text('sarif') },
    { output, environment },
  )
  return code
}

function verify(checks: readonly Check[], stale: readonly string[], output: Output): ExitCode {
  for (const check of checks) {
    if (check.kind === 'drifted') noteLines(output, check.fixture.path, describeDrift(check.drift))
    if (check.kind === 'missing') noteLines(output, check.fixture.path, [`${check.fixture.golden} does not exist`])
    if (check.kind === 'failed') noteLines(output, check.fixture.path, [`failed: ${inert(check.reason)}`])
  }
  for (const path of stale) noteLines(output, path, ['stale: it has no fixture'])
  const count = (kind: Check['kind']): number => checks.filter((check) => check.kind === kind).length
  output.line(goldenTotal(checks, stale))
  const agrees = count('equal') === checks.length && stale.length === 0
  const isAcceptable = stale.length > 0 || count('drifted') > 0 || count('missing') > 0
  if (isAcceptable)
    output.note('next: look at the differences; `callspec golden update` with the same options accepts them.')
  return agrees ? EXIT.ok : EXIT.disagreement
}

function goldenTotal(checks: readonly Check[], stale: readonly string[]): string {
  const kinds = ['equal', 'drifted', 'missing', 'failed'] as const
  const counts = kinds.map((kind) => `${checks.filter((check) => check.kind === kind).length} ${kind}`)
  return [...counts, `${stale.length} stale`].join(', ')
}

const RULES: Readonly<Record<string, string>> = {
  'golden-drift': 'The prompt is not the accepted one.',
  'golden-missing': 'No prompt was accepted yet.',
  'golden-failed': 'The template fails.',
  'golden-stale': 'The accepted prompt has no fixture.',
}

function finding(rule: string, file: string, message: string): CiFinding {
  return { rule, level: 'error', message, file }
}

/** A drift is at its line of the golden file. */
function checkFinding(check: Check): readonly CiFinding[] {
  const { fixture } = check
  switch (check.kind) {
    case 'equal':
      return []
    case 'drifted': {
      const { line, column } = check.drift
      return [{ ...finding('golden-drift', fixture.golden, describeDrift(check.drift).join(' ')), line, column }]
    }
    case 'missing':
      return [finding('golden-missing', fixture.path, `${fixture.golden} does not exist.`)]
    case 'failed':
      return [finding('golden-failed', fixture.path, check.reason)]
  }
}

async function update(checks: readonly Check[], stale: readonly string[], output: Output): Promise<ExitCode> {
  let changed = 0
  for (const check of checks) {
    if (check.kind === 'failed')
      noteLines(output, check.fixture.path, [`failed: ${inert(check.reason)}; left as it was`])
    if (check.kind !== 'drifted' && check.kind !== 'missing') continue
    await writeChosenFile(check.fixture.golden, check.current)
    changed += 1
    const what = check.kind === 'missing' ? `new, ${plural(check.current.length, 'byte')}` : driftText(check.drift)
    output.line(`wrote ${check.fixture.golden} (${what})`)
  }
  for (const path of stale) {
    await rm(path)
    output.line(`removed ${path} (it has no fixture)`)
  }
  const failed = checks.filter(({ kind }) => kind === 'failed').length
  const equal = checks.length - changed - failed
  output.line(`${changed} written, ${stale.length} removed, ${equal} unchanged, ${failed} failed`)
  return failed === 0 ? EXIT.ok : EXIT.disagreement
}

function driftText(drift: { readonly offset: number; readonly line: number }): string {
  return `changed from byte ${drift.offset} on, line ${drift.line}`
}

function noteLines(output: Output, path: string, lines: readonly string[]): void {
  output.line(`${output.paint('red', '✗')} ${path}`)
  for (const line of lines) output.line(`  ${line}`)
}

/** The results of all fixtures as data. Texts stay in their files. */
export function goldenJson(checks: readonly Check[], stale: readonly string[]): object {
  return { fixtures: checks.map(checkJson), stale }
}

function checkJson(check: Check): object {
  const { kind, fixture } = check
  const common = { fixture: fixture.path, golden: fixture.golden, status: kind }
  if (check.kind === 'failed') return { ...common, reason: check.reason }
  if (check.kind !== 'drifted') return common
  const { offset, line, column } = check.drift
  return { ...common, drift: { offset, line, column } }
}
