import { stat } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import type { Options, OptionTable } from '../command.ts'
import type { NamingFile } from '../found-files.ts'
import { admitModule, refuseForeign } from '../found-files.ts'
import { isModulePath, readSource } from '../input-file.ts'
import type { Output } from '../output.ts'
import type { RequestFile } from '../request/request-file.ts'
import { readRequestFile } from '../request/request-file.ts'
import { checkSettings, mergeSettings } from '../request/settings.ts'
import { UsageError } from '../usage-error.ts'

export const CONFIG_NAME = 'callspec.golden.json5'

export type TemplateKind = 'format' | 'module' | 'command' | 'template'
const TEMPLATE_KINDS: readonly TemplateKind[] = ['format', 'module', 'command', 'template']

export interface GoldenConfig {
  /** Options first, then the file. */
  readonly settings: Options
  /** Settings of a fixture: options first, then the fixture, then the file. */
  settingsFor(fixture: RequestFile): Options
  /** The folder of the fixtures, relative to the working folder. */
  readonly folder: string
  /** The template under test; an option wins over the file. Null for none. */
  readonly template: { readonly kind: TemplateKind; readonly value: string } | null
  /** The file that names the template; null for an option or none. */
  readonly namedBy: NamingFile | null
}

/**
 * Finds the configuration: `--config`, else `callspec.golden.json5` in the folder, else in the current folder.
 *
 * Paths in the file are relative to the file, paths in options to the current folder. The folder is the positional, else `fixtures` of the
 * file, else the file's folder, else the current one.
 *
 * @throws UsageError for a malformed file, and for two templates
 */
export async function readGoldenConfig(
  table: OptionTable,
  options: Options,
  positional: string | null,
): Promise<GoldenConfig> {
  const named = options.text('config')
  const path = named ?? (await findConfig(positional))
  const by = path === null ? null : { path, isFound: named === null }
  if (by?.isFound === true) await refuseForeign(by.path, `--config ${by.path}`)
  const file = path === null ? null : readRequestFile(await readSource(path))
  if (file !== null) checkSettings(table, file, ['fixtures'])
  const home = path === null ? '.' : dirname(path)
  const fixtures = file?.members.get('fixtures')?.value
  const written = templateIn((kind) => file?.members.get(kind)?.value ?? null, `${path} `)
  const flag = templateIn((kind) => options.text(kind), '--')
  return {
    settings: mergeSettings(options, file),
    settingsFor: (fixture) => mergeSettings(mergeSettings(options, fixture), file),
    folder: positional ?? (typeof fixtures === 'string' ? join(home, fixtures) : home),
    template: flag ?? (written === null ? null : fromHome(written, home)),
    namedBy: flag === null && written !== null ? by : null,
  }
}

/**
 * Prints which code of the user a named template runs, before it runs.
 *
 * @throws UsageError for a module that the file may not name
 */
export async function admitTemplate({ template, namedBy }: GoldenConfig, output: Output): Promise<void> {
  if (template === null || namedBy === null) return
  const { kind, value } = template
  if (kind === 'command') output.note(`callspec: runs ${value} (${namedBy.path})`)
  if (kind === 'module' || (kind === 'format' && isModulePath(value)))
    await admitModule(value, namedBy, { code: 'run', output })
}

function templateIn(valueOf: (kind: TemplateKind) => unknown, prefix: string): GoldenConfig['template'] {
  const named = TEMPLATE_KINDS.filter((kind) => typeof valueOf(kind) === 'string')
  if (named.length > 1) {
    throw new UsageError(`${named.map((kind) => prefix + kind).join(' and ')}: only one template can be under test.`)
  }
  return named[0] === undefined ? null : { kind: named[0], value: String(valueOf(named[0])) }
}

function fromHome({ kind, value }: NonNullable<GoldenConfig['template']>, home: string): GoldenConfig['template'] {
  const isPath = kind === 'module' || kind === 'template' || (kind === 'format' && isModulePath(value))
  return { kind, value: isPath && !isAbsolute(value) ? `./${join(home, value)}` : value }
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

/** Renders the bytes of a prompt, or throws a TemplateError with the reason. */
export interface TemplateUnderTest {
  /** For the heading: `format nous, qwen-agent@main`. */
  readonly name: string
  /** Whether a fixture may have members for the template, and a profile. */
  readonly takesOwnMembers: boolean
  render(file: RequestFile): Promise<Uint8Array>
}
