import { didYouMean } from '../../nearest.ts'
import { quoted } from '../../terminal.ts'
import { UsageError } from '../../usage-error.ts'
import { DEFAULT_NAME } from './template-source.ts'
import type { NamedTemplate } from './template-source.ts'

/** No chat template comes near it: the longest known one has 20 kB. */
const MAX_TEMPLATE = 4 * 1024 * 1024

/** The named template; without a name the only one, or `default`. */
export function chooseTemplate(
  source: string,
  templates: readonly NamedTemplate[],
  name: string | null,
): NamedTemplate {
  const names = templates.map((each) => each.name)
  const [only] = templates
  const found =
    name === null && templates.length === 1 ? only : templates.find((each) => each.name === (name ?? DEFAULT_NAME))
  if (found === undefined) {
    const there = names.map((each) => quoted(each)).join(', ')
    if (name === null) throw new UsageError(`${source}: has ${names.length} templates. Choose with --name: ${there}.`)
    throw new UsageError(`${source}: has no template "${quoted(name)}".${didYouMean(name, names)} There are: ${there}.`)
  }
  if (found.text.length > MAX_TEMPLATE)
    throw new UsageError(`${source}: ${found.text.length} characters are no chat template. Is it the right file?`)
  return found
}
