import { COMMAND_GROUPS } from './command.ts'
import type { Command, CommandEntry, OptionSpec } from './command.ts'

/** How wide lines may be. */
interface Width {
  readonly columns: number
}

const COLUMN = 28
/** Where a usage line that is too long goes on. */
const HANGING = 6

/** The page that `callspec COMMAND --help` prints, as wide as it may be. Ends with a line break. */
export function commandHelp(command: Command, width: Width): string {
  const parts = [
    `Usage\n${command.usage.map((line) => `  ${wrap(`callspec ${line}`, HANGING, width).trimStart()}`).join('\n')}`,
    wrap(command.about, 0, width),
    ...(command.subcommands === undefined ? [] : [`Subcommands\n${rows(Object.entries(command.subcommands), width)}`]),
    `Options\n${rows([...visibleOptions(command).map(optionRow), ['-h, --help', 'Print this page.']], width)}`,
    `Examples\n${command.examples.map((line) => example(line, width)).join('\n')}`,
    ...(command.notes ?? []).map((note) => wrap(note, 0, width)),
  ]
  return `${parts.join('\n\n')}\n`
}

/** The options that are not hidden, by name. */
export function visibleOptions({ options }: Pick<Command, 'options'>): [string, OptionSpec][] {
  return Object.entries(options).filter(([, { isHidden }]) => isHidden !== true)
}

/** The page that `callspec` and `callspec --help` print. Ends with a line break. */
export function programHelp(commands: readonly CommandEntry[], width: Width): string {
  return `callspec - specification tests for LLM tool calling

Usage
  callspec COMMAND [options]

Begin here
  $ callspec eval                 compare the formats on simulated models
  $ callspec conformance run      check the formats against thousands of cases
  $ callspec fuzz --format nous   search for texts that break a parser

${COMMAND_GROUPS.map((group) => groupText(group, commands, width)).join('\n\n')}

callspec COMMAND --help shows options and examples of one command.
--no-color, or NO_COLOR, keeps every command's output plain.
Exit codes: 0 fine, 1 something disagrees, 2 misuse or bad input, 3 broken.
`
}

function groupText(group: CommandEntry['group'], commands: readonly CommandEntry[], width: Width): string {
  const own = commands.filter((each) => each.group === group)
  return `${group}\n${rows(
    own.map(({ name, summary }) => [name, summary]),
    width,
  )}`
}

/** A line that is too long goes on as in a shell, so that it can be pasted; what is in quotation marks stays whole. */
function example(line: string, { columns }: Width): string {
  const whole = `  $ ${line}`
  if (whole.length <= columns) return whole
  const lines = ['  $']
  for (const [word] of line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)) {
    const last = lines.at(-1) ?? ''
    if (last.length + 1 + word.length + 2 > columns) lines.push(`     ${word}`)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines.join(' \\\n')
}

function optionRow([name, spec]: readonly [string, OptionSpec]): readonly [string, string] {
  const short = spec.short === undefined ? '' : `-${spec.short}, `
  const dashes = spec.negatable === true ? '--[no-]' : '--'
  const shown = spec.whenBare === undefined ? spec.value : `[${spec.value ?? ''}]`
  const value = shown === undefined ? '' : ` ${shown}`
  const repeat =
    spec.repeat !== true ? '' : spec.isList === true ? ' Repeatable, or separated by commas.' : ' Repeatable.'
  return [`${short}${dashes}${name}${value}`, `${spec.help}${repeat}`]
}

function rows(pairs: readonly (readonly [string, string])[], width: Width): string {
  return pairs
    .map(([left, right]) => {
      const text = wrap(right, COLUMN, width)
      const fits = left.length + 4 <= COLUMN
      return fits ? `  ${left}`.padEnd(COLUMN) + text.trimStart() : `  ${left}\n${text}`
    })
    .join('\n')
}

/** Breaks at spaces so that no line is longer than it may be; every line begins with `indent` spaces. */
function wrap(text: string, indent: number, { columns }: Width): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > columns) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line].map((each) => ' '.repeat(indent) + each).join('\n')
}
