import { spawn, spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine, EngineVersion } from './engine-file.ts'

/** An install that failed; the message is one line. */
export class InstallError extends Error {}

/** What is installed: a row of an engine, or packages of clients. */
export interface InstallRow {
  readonly engine: Pick<Engine, 'name' | 'install' | 'needs'>
  readonly version: Partial<EngineVersion> & Pick<EngineVersion, 'version'>
  readonly adapter: string
  readonly folder: string
}

/** Written into the folder of a row after its last command: a folder without it is installed again. */
const MARK = '.installed'

/** How the toolchain is asked whether it is there. */
const TOOLCHAINS: Readonly<Record<Engine['needs'], readonly string[]>> = {
  python3: ['python3', '-m', 'pip', '--version'],
  go: ['go', 'version'],
  cargo: ['cargo', '--version'],
  node: ['npm', '--version'],
}

/** Whether an engine can be installed on this machine. */
export function hasToolchain({ needs }: Pick<Engine, 'needs'>): boolean {
  const [program = '', ...words] = TOOLCHAINS[needs]
  return spawnSync(program, words, { stdio: 'ignore' }).status === 0
}

/** Whether `installEngine` has installed this row, with the commands of today. */
export function isInstalled(row: InstallRow): boolean {
  try {
    return readFileSync(join(row.folder, MARK), 'utf8') === markOf(row)
  } catch {
    return false
  }
}

function markOf(row: InstallRow): string {
  return `${JSON.stringify(commandsOf({ ...row, adapter: '{adapter}', folder: '{row}' }))}\n`
}

/**
 * Installs a row into its own folder, which is emptied first, and removed if a command fails: `--installed` takes every folder that is there.
 *
 * @throws InstallError with the end of what the command printed
 */
export async function installEngine(row: InstallRow): Promise<void> {
  rmSync(row.folder, { recursive: true, force: true })
  mkdirSync(row.folder, { recursive: true })
  try {
    for (const words of commandsOf(row)) await install(words, row)
  } catch (error) {
    rmSync(row.folder, { recursive: true, force: true })
    throw error
  }
  writeFileSync(join(row.folder, MARK), markOf(row))
}

/** The commands of a row, ready to be run. */
export function commandsOf({ engine, version, adapter, folder }: InstallRow): readonly (readonly string[])[] {
  return engine.install.map((words) => {
    const filled = words.map((word) =>
      word.replace(/\{(adapter|row|version)\}/g, (_, name: string) =>
        name === 'adapter' ? adapter : name === 'row' ? folder : version.version,
      ),
    )
    if (filled[0] !== 'pip') return filled
    const options = filled[1] === 'install' ? ['install', '--target', folder] : filled.slice(1, 2)
    return ['python3', '-m', 'pip', '--disable-pip-version-check', ...options, ...filled.slice(2)]
  })
}

async function install(words: readonly string[], { engine, version, folder }: InstallRow): Promise<void> {
  const [program = '', ...rest] = words
  const child = spawn(program, rest, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let end = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => (end = (end + piece).slice(-4000)))
  }
  const code = await new Promise<number | string | null>((settle) => {
    child.once('error', ({ message }) => settle(message))
    child.once('close', settle)
  })
  if (code === 0) return
  const last = printable(end.trim().split('\n').slice(-2).join(' · '))
  throw new InstallError(
    `${engine.name}@${version.version}: \`${words.slice(0, 4).join(' ')} …\` failed (${String(code)}): ${last}`,
  )
}

/** A text of another program as one line without control characters. */
function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').slice(0, 400)
}

/** Bytes of all files of a folder; a link counts itself. */
export function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name)
    return sum + (entry.isDirectory() ? sizeOf(path) : lstatSync(path).size)
  }, 0)
}

/** `12 MB`, in powers of ten. */
export function shownSize(bytes: number): string {
  const [amount, unit] = bytes >= 1e9 ? [bytes / 1e9, 'GB'] : bytes >= 1e6 ? [bytes / 1e6, 'MB'] : [bytes / 1e3, 'kB']
  return `${amount >= 10 ? Math.round(amount) : amount.toFixed(1)} ${unit}`
}
