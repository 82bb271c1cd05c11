import type { CodeSplittingGroup } from 'rolldown'

/**
 * Modules of a package, each of which stands in one file with all that it imports and that is in none before it. Opening a file costs
 * a short run more than reading lines that it does not need. The smaller come first, so that who needs only them loads nothing else:
 * of the program what every command starts with, and the smallest command that reads a reply, whose modules most others need as well.
 */
const FIRST_NEEDED: ReadonlyMap<string, readonly string[]> = new Map([
  ['callspec', ['main', 'commands/parse']],
  ['@callspec/core', ['index']],
  ['@callspec/eval', ['text/plural', 'text/show-hidden', 'reply-parts', 'index']],
])

/** Which modules of a package share a file, besides what the bundler finds by itself. */
export function filesTogether(packageName: string): CodeSplittingGroup[] {
  const modules = FIRST_NEEDED.get(packageName) ?? []
  return modules.map((module, at) => ({
    name: `with-${module.replace(/.*\//, '')}`,
    test: new RegExp(`[\\\\/]dist[\\\\/]${module.replace('/', '[\\\\/]')}\\.js$`),
    priority: modules.length - at,
  }))
}
