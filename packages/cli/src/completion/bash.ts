import type { OutlineCommand, OutlineOption } from './outline.ts'
import { PROGRAM_OPTIONS } from './outline.ts'

/**
 * A script for bash 3.2 and later that completes `callspec` from lists of its own: no key press starts a program. Where
 * nothing is listed, bash completes the names of files.
 */
export function bashScript(commands: readonly OutlineCommand[]): string {
  const names = commands.map(({ name }) => name).join(' ')
  const withSubcommands = commands.filter(({ subcommands }) => subcommands.length > 0)
  return `# Completion of callspec for bash, written by: callspec completion bash

_callspec() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command=\${COMP_WORDS[1]} words='' runs=''
  COMPREPLY=()
  # bash takes --name=value apart at the equals sign.
  if [ "$word" = '=' ]; then
    word=''
  elif [ "$before" = '=' ] && [ "$COMP_CWORD" -gt 2 ]; then
    before=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='${names} help ${PROGRAM_OPTIONS.join(' ')}'
  elif [ "\${word:0:1}" = '-' ]; then
    case "$command" in
${commands.map(optionsCase).join('\n')}
    esac
  else
    case "$command $before" in
      'help help') words='${names}' ;;
${withSubcommands.map(({ name, subcommands }) => assign([`${name} ${name}`], subcommands)).join('\n')}
${commands.flatMap(choiceCases).join('\n')}
    esac
    case "$command $before" in
${runCases(commands)}
    esac
  fi
  [ -z "$runs" ] || _callspec_runs "$word"
  [ -z "$words" ] || COMPREPLY=($(compgen -W "$words" -- "$word"))
}

# Names in reports/ are anybody's, so nothing of them is expanded.
_callspec_runs() {
  local file name
  for file in latest/ reports/*/run.json; do
    name=\${file%/*}
    name=\${name##*/}
    if [ "\${name:0:\${#1}}" = "$1" ] && { [ "$file" = latest/ ] || [ -f "$file" ]; }; then
      printf -v name %q "$name"
      COMPREPLY+=("$name")
    fi
  done
}

complete -o default -F _callspec callspec
`
}

function optionsCase({ name, options }: OutlineCommand): string {
  return `      ${name}) words='${options.flatMap(({ spellings }) => spellings.filter(isLong)).join(' ')}' ;;`
}

function choiceCases({ name, options }: OutlineCommand): readonly string[] {
  const chosen = options.filter(({ choices }) => choices.length > 0)
  return chosen.map(({ spellings, choices }: OutlineOption) =>
    assign(
      spellings.map((spelling) => `${name} ${spelling}`),
      choices,
    ),
  )
}

/** Behind an option that takes a run; elsewhere in a command that does, but behind an option that takes something else. */
function runCases(commands: readonly OutlineCommand[]): string {
  return commands
    .flatMap(({ name, takesRuns, options }) => {
      const spelled = (of: readonly OutlineOption[]): string =>
        of.flatMap(({ spellings }) => spellings.map((spelling) => `'${name} ${spelling}'`)).join(' | ')
      const taking = spelled(options.filter(({ takesRun }) => takesRun))
      const others = spelled(options.filter(({ value, takesRun }) => value !== null && !takesRun))
      return [
        ...(taking === '' ? [] : [`      ${taking}) runs=1 ;;`]),
        ...(takesRuns && others !== '' ? [`      ${others}) ;;`] : []),
        ...(takesRuns ? [`      '${name} '*) runs=1 ;;`] : []),
      ]
    })
    .join('\n')
}

function assign(patterns: readonly string[], words: readonly string[]): string {
  return `      ${patterns.map((pattern) => `'${pattern}'`).join(' | ')}) words='${words.join(' ')}' ;;`
}

function isLong(spelling: string): boolean {
  return spelling.startsWith('--')
}
