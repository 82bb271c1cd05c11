import type { Command, CommandEntry, OptionSpec } from './command.ts'

const WIDTH = 80
const COLUMN = 28
/** Where a usage line that is too long goes on. */
const HANGING = 6

/** The page that `callspec COMMAND --help` prints, at most 80 columns wide. Ends with a line break. */
export function commandHelp(command: Command): string {
  const parts = [
    `Usage\n${command.usage.map((line) => `  ${wrap(`callspec ${line}`, HANGING).trimStart()}`).join('\n')}`,
    wrap(command.about, 0),
    ...(command.subcommands === undefined ? [] : [`Subcommands\n${rows(Object.entries(command.subcommands))}`]),
    `Options\n${rows([...Object.entries(command.options).map(optionRow), ['-h, --help', 'Print this page.']])}`,
    `Examples\n${command.examples.map(example).join('\n')}`,
    ...(command.notes ?? []).map((note) => wrap(note, 0)),
  ]
  return `${parts.join('\n\n')}\n`
}

/** The page that `callspec` and `callspec --help` print. Ends with a line break. */
export function programHelp(commands: readonly CommandEntry[]): string {
  return `callspec - specification tests for LLM tool calling

Usage
  callspec COMMAND [options]

Begin here
  $ callspec eval                 compare the formats on simulated models
  $ callspec conformance run      check the formats against thousands of cases
  $ callspec fuzz --format nous   search for texts that break a parser

Commands
${rows(commands.map(({ name, summary }) => [name, summary]))}

callspec COMMAND --help shows options and examples of one command.
--no-color, or NO_COLOR, keeps every command's output plain.
Exit codes: 0 fine, 1 something disagrees, 2 misuse or bad input, 3 broken.
`
}

/** A line that is too long goes on as in a shell, so that it can be pasted; what is in quotation marks stays whole. */
function example(line: string): string {
  const whole = `  $ ${line}`
  if (whole.length <= WIDTH) return whole
  const lines = ['  $']
  for (const [word] of line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)) {
    const last = lines.at(-1) ?? ''
    if (last.length + 1 + word.length + 2 > WIDTH) lines.push(`     ${word}`)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines.join(' \\\n')
}

function optionRow([name, spec]: readonly [string, OptionSpec]): readonly [string, string] {
  const short = spec.short === undefined ? '' : `-${spec.short}, `
  const dashes = spec.negatable === true ? '--[no-]' : '--'
  const shown = spec.whenBare === undefined ? spec.value : `[${spec.value ?? ''}]`
  const value = shown === undefined ? '' : ` ${shown}`
  const repeat = spec.repeat === true ? ' Repeatable.' : ''
  return [`${short}${dashes}${name}${value}`, `${spec.help}${repeat}`]
}

function rows(pairs: readonly (readonly [string, string])[]): string {
  return pairs
    .map(([left, right]) => {
      const text = wrap(right, COLUMN)
      const fits = left.length + 4 <= COLUMN
      return fits ? `  ${left}`.padEnd(COLUMN) + text.trimStart() : `  ${left}\n${text}`
    })
    .join('\n')
}

/** Breaks at spaces so that no line is longer than 80 columns; every line begins with `indent` spaces. */
function wrap(text: string, indent: number): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > WIDTH) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line].map((each) => ' '.repeat(indent) + each).join('\n')
}
