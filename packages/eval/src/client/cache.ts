import { mkdirSync } from 'node:fs'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { canonicalJson, sha256 } from '../text/canonical-json.ts'
import { RunError, saidBy } from '../trace/run-error.ts'
import type { Client, CompletionRequest } from './client.ts'
import type { Completion } from '../trace/completion.ts'
import { finishOf } from '../trace/finish-reason.ts'
import { isRecord } from '../text/json.ts'
import { redactedUrl } from './redact.ts'
import { readStored, toStored } from './stored-completion.ts'
import type { StoredCompletion } from './stored-completion.ts'

/** What a cache has done so far. */
export interface CacheCounts {
  readonly hits: number
  readonly misses: number
  /** How many of the misses are in the cache now. */
  readonly stored: number
  /** Why the first reply that could not be stored was not, on one line; null when all could. */
  readonly problem: string | null
}

/** Replies on the disk, over runs. */
export interface CompletionCache {
  /**
   * A client that asks only for what is not there. The key holds the address, the model, the prompt, the parameters and the
   * number of the sample, so another pass over the tasks is never answered with the replies of the first.
   */
  wrap(client: Client, baseUrl: string): Client
  counts(): CacheCounts
}

/** The version of the files; others are not read. */
const CACHE_SCHEMA = 1

/**
 * Opens a folder of replies, one file each. Failures, empty replies and those that were cut at the token limit are not
 * kept: the next run is to have another try. A file that is damaged counts as none. A full disk ends the caching, not the
 * run.
 *
 * @throws RunError when the folder cannot be made
 */
export function openCache(folder: string): CompletionCache {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw new RunError(`the cache ${folder} cannot be made (${saidBy(error)}). Is it a folder that you may write?`)
  }
  const counts = { hits: 0, misses: 0, stored: 0, problem: null as string | null }
  const store = async (path: string, completion: Completion): Promise<void> => {
    if (counts.problem !== null || !isWorthKeeping(completion)) return
    try {
      await writeWhole(path, JSON.stringify({ schema: CACHE_SCHEMA, completion: toStored(completion) }))
      counts.stored += 1
    } catch (error) {
      counts.problem ??= `${folder} cannot be written (${saidBy(error)})`
    }
  }
  return {
    wrap: (client, baseUrl) => ({
      ...client,
      complete: async (request, signal) => {
        const path = pathOf(folder, request, baseUrl)
        const known = await readEntry(path)
        if (known !== null) {
          counts.hits += 1
          return { kind: 'done', value: { ...known, cached: true }, attempts: 0 }
        }
        counts.misses += 1
        const outcome = await client.complete(request, signal)
        if (outcome.kind === 'done') await store(path, outcome.value)
        return outcome
      },
    }),
    counts: () => ({ ...counts }),
  }
}

function pathOf(folder: string, { sample = 0, ...sent }: CompletionRequest, baseUrl: string): string {
  const key = sha256(canonicalJson({ schema: CACHE_SCHEMA, baseUrl: redactedUrl(baseUrl), sample, sent }))
  // Few file systems like a folder of a hundred thousand files.
  return join(folder, key.slice(0, 2), `${key.slice(2)}.json`)
}

async function readEntry(path: string): Promise<StoredCompletion | null> {
  try {
    if (!(await stat(path)).isFile()) return null
    const entry: unknown = JSON.parse(await readFile(path, 'utf8'))
    return isRecord(entry) && entry['schema'] === CACHE_SCHEMA ? readStored(entry['completion']) : null
  } catch {
    return null
  }
}

function isWorthKeeping({ text, reasoning, toolCalls, finishReason }: Completion): boolean {
  const isEmpty = text.trim() === '' && reasoning.trim() === '' && toolCalls.length === 0
  return !isEmpty && finishOf(finishReason) !== 'length'
}

let files = 0

/** Other processes never see half a file. */
async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  files += 1
  const temporary = `${path}.${process.pid}-${files}`
  try {
    await writeFile(temporary, text)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
