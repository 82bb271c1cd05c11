import type { Command, CommandEntry, OptionSpec } from './command.ts'
import { COMMAND_GROUPS, shownOptions } from './command.ts'
import type { Output } from './output.ts'

interface HelpWidth {
  readonly columns: number
}

const COLUMN = 28
/** Indentation of the rest of a long usage line. */
const HANGING = 6

/** The page that `callspec COMMAND --help` prints, or `callspec COMMAND SUBCOMMAND --help`. Ends with a line break. */
export function commandHelp(command: Command, subcommand: string | null, width: HelpWidth): string {
  const { name, about, subcommands = {}, notes = [] } = command
  const usage = usageLines(command, subcommand)
  const options = optionsShown(command, subcommand)
  const described = options.filter(([, spec]) => spec.describedBy === undefined)
  const examples = examplesOf(command, subcommand)
  const parts = [
    `Usage\n${usage.map((line) => `  ${wrap(`callspec ${line}`, HANGING, width).trimStart()}`).join('\n')}`,
    wrap(subcommand === null ? about : (subcommands[subcommand] ?? ''), 0, width),
    ...(subcommand !== null || command.subcommands === undefined
      ? []
      : [`Subcommands\n${rows(Object.entries(subcommands), width)}`]),
    ...optionGroups(described, width),
    ...referencesTo(options).map((text) => wrap(text, 0, width)),
    ...(subcommand === null && command.subcommandOptions !== undefined
      ? [wrap(`callspec ${name} SUBCOMMAND --help shows the options of one subcommand.`, 0, width)]
      : []),
    ...(examples.length === 0 ? [] : [`Examples\n${examples.map((line) => example(line, width)).join('\n')}`]),
    ...notes.map((note) => wrap(note, 0, width)),
  ]
  return `${parts.join('\n\n')}\n`
}

/** Usage lines of the subcommand. A line that lists several shows only this one: `queue status|pause` becomes `queue pause`. */
function usageLines({ name, usage }: Command, subcommand: string | null): readonly string[] {
  if (subcommand === null) return usage
  return usage.flatMap((line) => {
    const [head = ''] = /^[a-z-]+(?: (?:[a-z]+(?: ?\| ?)?)+)?/.exec(line) ?? []
    const named = head.slice(name.length).split('|')
    return named.some((each) => each.trim() === subcommand)
      ? [`${name} ${subcommand}${line.slice(head.trimEnd().length)}`]
      : []
  })
}

function examplesOf({ name, examples }: Command, subcommand: string | null): readonly string[] {
  return subcommand === null ? examples : examples.filter((line) => line.includes(`callspec ${name} ${subcommand}`))
}

/** Options that belong to no subcommand, or to the given one. */
function optionsShown(
  { options, subcommandOptions }: Command,
  subcommand: string | null,
): ReturnType<typeof shownOptions> {
  if (subcommandOptions === undefined) return shownOptions(options)
  const own = subcommandOptions[subcommand ?? '']
  const named = new Set(Object.values(subcommandOptions).flat())
  return shownOptions(options).filter(([name]) => (own === undefined ? !named.has(name) : own.includes(name)))
}

/** Options under the headings of their groups. Those without a group, and `--help`, come last. */
function optionGroups(options: readonly (readonly [string, OptionSpec])[], width: HelpWidth): readonly string[] {
  const groups = new Map<string, (readonly [string, string])[]>()
  for (const [name, spec] of options) {
    const group = spec.group ?? ''
    groups.set(group, [...(groups.get(group) ?? []), optionRow([name, spec])])
  }
  const ungrouped = [...(groups.get('') ?? []), ['-h, --help', 'Print this page.'] as const]
  groups.delete('')
  return [...groups, [groups.size === 0 ? 'Options' : 'Other options', ungrouped] as const].map(
    ([group, lines]) => `${group}\n${rows(lines, width)}`,
  )
}

/** Options that the help of another command describes, by name. */
function referencesTo(options: readonly (readonly [string, OptionSpec])[]): readonly string[] {
  const commands = [...new Set(options.flatMap(([, { describedBy }]) => describedBy ?? []))]
  return commands.map((command) => {
    const names = options.filter(([, { describedBy }]) => describedBy === command).map(([name]) => `--${name}`)
    return `Also takes, as described in callspec ${command} --help: ${names.join(', ')}.`
  })
}

/** What a user may have, the command for it, and what that says. */
const BEGINNINGS: readonly (readonly [have: string, command: string, says: string])[] = [
  ['a reply', 'parse reply.txt --as lines', 'its texts, calls and faults; the format is found'],
  ['a server', 'doctor --base-url http://127.0.0.1:8000/v1', 'whether its calls and streams are right'],
  ['a parser', "conformance run --impl 'node parser.mjs'", 'which texts it reads wrong; any language'],
  ['a model', 'inspect MODEL-FOLDER', 'its format, prompt, faults, and flags of engines'],
  ['a template', 'template lint FOLDER', 'what it loses of tools, calls and results'],
  ['logs', 'score LOG.jsonl', 'how many replies can be read, and what failed'],
  ['none yet', 'eval', 'compares formats on simulated models'],
]

/** The page that `callspec` prints without a command: within 80 columns. Ends with a line break. */
export function firstScreen({ paint }: Pick<Output, 'paint'>): string {
  const indent = ' '.repeat(14)
  const entries = BEGINNINGS.map(
    ([have, command, says]) =>
      `  ${paint('bold', have.padEnd(indent.length - 2))}$ callspec ${command}\n${indent}  ${says}\n`,
  )
  return `callspec - specification tests for LLM tool calling

What do you have?

${entries.join('')}
callspec --help lists all commands, callspec COMMAND --help what one takes.
`
}

/** The page that `callspec --help` prints. Ends with a line break. */
export function programHelp(commands: readonly CommandEntry[], width: HelpWidth): string {
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

function groupText(group: CommandEntry['group'], commands: readonly CommandEntry[], width: HelpWidth): string {
  const own = commands.filter((each) => each.group === group)
  return `${group}\n${rows(
    own.map(({ name, summary }) => [name, summary]),
    width,
  )}`
}

/** Continues a long line with `\\`, so that it can be pasted. Quoted words stay whole. */
function example(line: string, { columns }: HelpWidth): string {
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

function rows(pairs: readonly (readonly [string, string])[], width: HelpWidth): string {
  return pairs
    .map(([left, right]) => {
      const text = wrap(right, COLUMN, width)
      const fits = left.length + 4 <= COLUMN
      return fits ? `  ${left}`.padEnd(COLUMN) + text.trimStart() : `  ${left}\n${text}`
    })
    .join('\n')
}

/** Breaks at spaces; every line begins with `indent` spaces. */
function wrap(text: string, indent: number, { columns }: HelpWidth): string {
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

/** The version in this package's package.json. */
export async function ownVersion(): Promise<string> {
  // Loaded late: --help does not need it.
  const { readFile } = await import('node:fs/promises')
  const text = await readFile(new URL('../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(text) as { readonly version: string }
  return version
}
