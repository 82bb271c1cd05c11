import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Options, OptionTable } from '../command.ts'
import { readRequestFile, type RequestFile } from '../request/request-file.ts'
import { checkSettings, mergeSettings } from '../request/settings.ts'
import { readSource } from '../source-text.ts'

export const CONFIG_NAME = 'callspec.golden.json5'

/** The configuration of a golden run: flags first, then the file. */
export interface GoldenConfig {
  readonly settings: Options
  /** The file, or null when there is none. */
  readonly path: string | null
  /** The folder of the fixtures, relative to where the program was started. */
  readonly folder: string
  /** A path as the configuration has it, relative to where the program was started. */
  pathOf(setting: string): string | null
}

/**
 * Finds the configuration: `--config`, else `callspec.golden.json5` in the folder, else in the current folder.
 *
 * Paths in the file are relative to the file, paths in flags to the current folder. The folder is the positional, else
 * `fixtures` of the file, else the file's own folder, else the current one.
 */
export async function readGoldenConfig(
  table: OptionTable,
  options: Options,
  positional: string | null,
): Promise<GoldenConfig> {
  const path = options.text('config') ?? (await findConfig(positional))
  const file: RequestFile | null = path === null ? null : readRequestFile(await readSource(path))
  if (file !== null) checkSettings(table, file, ['fixtures'])
  const settings = mergeSettings(table, options, file)
  const home = path === null ? '.' : dirname(path)
  const written = file?.members.get('fixtures')?.value
  const pathOf = (setting: string): string | null => {
    const flag = options.text(setting)
    const value = settings.text(setting)
    return flag ?? (value === null ? null : join(home, value))
  }
  return { settings, path, folder: positional ?? (typeof written === 'string' ? join(home, written) : home), pathOf }
}

async function findConfig(positional: string | null): Promise<string | null> {
  const candidates = [...(positional === null ? [] : [join(positional, CONFIG_NAME)]), CONFIG_NAME]
  for (const candidate of candidates) {
    if (
      await stat(candidate).then(
        () => true,
        () => false,
      )
    )
      return candidate
  }
  return null
}
