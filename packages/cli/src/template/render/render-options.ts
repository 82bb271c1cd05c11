import type { OptionTable } from '../../command.ts'

/** What a template is rendered with. */
const VARIABLE_OPTIONS: OptionTable = {
  'generation-prompt': {
    help: 'End with the beginning of an answer (add_generation_prompt). Default: yes.',
    negatable: true,
  },
  set: {
    value: 'NAME=JSON',
    help: 'Set one more variable: enable_thinking=false. Wins over --variables.',
    repeat: true,
  },
  now: { value: 'TIME', help: 'What strftime_now shows: 2026-01-15T12:00:00Z. Default: the current time, in UTC.' },
}

/** Options of `callspec template render` besides those of the source. */
export const RENDER_OPTIONS: OptionTable = {
  variables: {
    value: 'FILE',
    help: 'JSON: an object with messages, tools and whatever else the template uses, or a list of messages. - is standard input.',
  },
  ...VARIABLE_OPTIONS,
  batch: {
    value: 'FILE',
    help: 'JSON lines {id, variables, template}; each becomes {id, text} or {id, raise, kind}, in the same order. template is a path, from the folder of FILE or from here; without it SOURCE is meant.',
  },
  output: { short: 'o', value: 'FILE', help: 'Write to FILE instead of standard output.' },
}
