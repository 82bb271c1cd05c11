import type { OutlineCommand, OutlineOption } from './outline.ts'

/** A script for zsh, for a folder of $fpath or to be read by ~/.zshrc. It starts no program. */
export function zshScript(commands: readonly OutlineCommand[]): string {
  return `#compdef callspec
# Completion of callspec for zsh, written by: callspec completion zsh

_callspec() {
  local -a commands
  commands=(
${commands.map(({ name, about }) => `    ${quoted(`${name}:${about}`)}`).join('\n')}
    'help:the help of a command'
  )
  if (( CURRENT == 2 )); then
    _describe -t commands 'command' commands
    _arguments '--help[Print the help]' '--version[Print the version]'
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
    help) _describe -t commands 'command' commands ;;
${commands.map(commandCase).join('\n')}
    *) _files ;;
  esac
}

# Names of runs in reports/, without a run of the program.
_callspec_runs() {
  setopt local_options null_glob
  local file
  local -a runs
  runs=(latest)
  for file in reports/*/run.json; do runs+=("\${file:h:t}"); done
  _describe -t runs 'run' runs
  _files
}

# In a file of $fpath this is the function's first call; otherwise the script is being read.
if [ "$funcstack[1]" = '_callspec' ]; then
  _callspec "$@"
else
  compdef _callspec callspec
fi
`
}

function commandCase({ name, subcommands, takesRuns, options }: OutlineCommand): string {
  const first = subcommands.length === 0 ? [] : [quoted(`1:subcommand:(${subcommands.join(' ')})`)]
  const specs = [
    ...options.flatMap(optionSpecs),
    ...first,
    quoted(takesRuns ? '*:run:_callspec_runs' : '*:file:_files'),
  ]
  return `    ${name})\n      _arguments \\\n${specs.map((spec) => `        ${spec}`).join(' \\\n')}\n      ;;`
}

/** What `_arguments` wants: one word for every spelling. */
function optionSpecs({
  spellings,
  about,
  value,
  choices,
  takesRun,
  mayBeBare,
  repeat,
}: OutlineOption): readonly string[] {
  const action = choices.length > 0 ? `(${choices.join(' ')})` : takesRun ? '_callspec_runs' : '_files'
  // A bare option's value, when there is one, is the next word; two colons make it optional.
  const rest = value === null ? '' : `${mayBeBare ? '::' : ':'}${value.replaceAll(':', String.raw`\:`)}:${action}`
  return spellings.map((spelling) => {
    const join = value === null || mayBeBare ? '' : spelling.startsWith('--') ? '=' : '+'
    const explained = about.replaceAll(/[[\]\\]/g, String.raw`\$&`)
    return quoted(`${repeat ? '*' : ''}${spelling}${join}[${explained}]${rest}`)
  })
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
