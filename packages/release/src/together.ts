import type { CodeSplittingGroup } from 'rolldown'

/**
 * Modules of the program, each of which stands in one file with all that it imports. Opening a file costs a short run more than
 * reading lines that it does not need: the first is what every command starts with, the second the smallest command that reads a
 * reply, whose modules most others need as well.
 */
const FIRST_NEEDED = ['main', 'commands/parse'] as const

/** Which modules of a package share a file, besides what the bundler finds by itself: those of {@link FIRST_NEEDED}, if it has them. */
export function filesTogether(): CodeSplittingGroup[] {
  return FIRST_NEEDED.map((module, at) => ({
    name: `with-${module.replace('commands/', '')}`,
    test: new RegExp(`[\\\\/]dist[\\\\/]${module.replace('/', '[\\\\/]')}\\.js$`),
    priority: FIRST_NEEDED.length - at,
  }))
}
