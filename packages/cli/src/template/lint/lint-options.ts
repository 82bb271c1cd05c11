import { RULES } from '@callspec/template/lint'
import type { Options } from '../../command.ts'
import { didYouMean } from '../../nearest.ts'
import { UsageError } from '../../usage-error.ts'
import { FAIL_ON } from './lint-option-table.ts'
import type { FailOn } from './lint-option-table.ts'

/** The rules that are asked for; null for all but those of severity info. */
export function rulesFrom(options: Options): readonly string[] | null {
  const given = options.list('rule').flatMap((text) => text.split(','))
  const known = RULES.map(({ id }) => id)
  if (given.length === 0) return null
  for (const id of given) {
    if (id !== 'all' && !known.includes(id))
      throw new UsageError(
        `there is no rule "${id}".${didYouMean(id, known)} All of them: docs/templates.md, or --rule all.`,
      )
  }
  return given.includes('all') ? known : given
}

/** What makes the exit code 1. */
export function failOnFrom(options: Options): FailOn {
  const given = options.text('fail-on')
  return FAIL_ON.find((each) => each === given) ?? 'error'
}
