import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import type { Invocation } from './command.ts'
import { readSource } from './source-text.ts'

type Environment = Invocation['environment']

/** Read when no other is named; what the first one says counts. */
const DEFAULTS: readonly string[] = ['.env.local', '.env']

/**
 * The environment with what stands in files beside it. A variable that is set keeps its value; of several files, the
 * first that names a variable counts.
 *
 * @param named files instead of `.env.local` and `.env` of the current folder, which may be absent
 * @throws UsageError for a named file that cannot be read
 */
export async function withEnvFiles(environment: Environment, named: readonly string[]): Promise<Environment> {
  const texts: string[] = []
  for (const path of named) texts.push((await readSource(path)).text)
  // A folder, or a file of somebody else, is none of ours.
  if (named.length === 0) for (const path of DEFAULTS) texts.push(await readFile(path, 'utf8').catch(() => ''))
  const read = texts.toReversed().map((text) => parseEnv(text.replace(/^\ufeff/, '')))
  return Object.assign({}, ...read, definedOf(environment)) as Environment
}

function definedOf(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined))
}
