import type { OutlineCommand, OutlineOption } from './outline.ts'

/** A script for fish 3.0 and later, for ~/.config/fish/completions or to be read with `source`. It starts no program. */
export function fishScript(commands: readonly OutlineCommand[]): string {
  return `# Completion of callspec for fish, written by: callspec completion fish

function __callspec_runs
    echo latest
    for file in reports/*/run.json
        string replace -r '^reports/(.*)/run[.]json$' '$1' -- $file
    end
end

complete -c callspec -f -n __fish_use_subcommand -l help -d 'Print the help'
complete -c callspec -f -n __fish_use_subcommand -l version -d 'Print the version'
complete -c callspec -f -n __fish_use_subcommand -a help -d 'The help of a command'
${commands.map(({ name, about }) => `complete -c callspec -f -n __fish_use_subcommand -a ${name} -d ${quoted(about)}`).join('\n')}
complete -c callspec -f -n '__fish_seen_subcommand_from help' -a ${quoted(commands.map(({ name }) => name).join(' '))}
${commands.flatMap(linesOf).join('\n')}
`
}

function linesOf({ name, subcommands, takesRuns, options }: OutlineCommand): readonly string[] {
  const within = `complete -c callspec -n ${quoted(`__fish_seen_subcommand_from ${name}`)}`
  return [
    ...(subcommands.length === 0 ? [] : [`${within} -a ${quoted(subcommands.join(' '))}`]),
    ...(takesRuns ? [`${within} -a '(__callspec_runs)'`] : []),
    ...options.map((option) => `${within} ${optionText(option)}`),
  ]
}

function optionText({ spellings, about, value, choices, takesRun, mayBeBare }: OutlineOption): string {
  const names = spellings.map((each) => (each.startsWith('--') ? `-l ${each.slice(2)}` : `-s ${each.slice(1)}`))
  const offered = takesRun ? "'(__callspec_runs)'" : quoted(choices.join(' '))
  // -r takes a value, -x one that is no file; a run may be in any folder.
  const kind = takesRun ? '-r' : '-x'
  const taken = value === null ? '' : choices.length > 0 || takesRun ? ` ${kind} -a ${offered}` : mayBeBare ? '' : ' -r'
  return `${names.join(' ')}${taken} -d ${quoted(about)}`
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`
}
