import type { OptionTable } from '../../command.ts'

/** What makes a lint fail: errors alone, or warnings as well. */
export const FAIL_ON = ['error', 'warning'] as const
export type FailOn = (typeof FAIL_ON)[number]

/** Options of `callspec template lint` besides those of the source. */
export const LINT_OPTIONS: OptionTable = {
  rule: {
    value: 'ID',
    help: 'Only this rule; "all" for every one. Default: every rule that is no info.',
    repeat: true,
  },
  'fail-on': {
    value: 'SEVERITY',
    help: 'error or warning: what makes the exit code 1. Default: error.',
    choices: FAIL_ON,
  },
  json: { help: 'Print what was found as JSON; for lint with whole conversations and prompts.' },
  html: { value: 'FILE', help: 'Also write a page: templates by rules, with the conversation behind each cell.' },
}
