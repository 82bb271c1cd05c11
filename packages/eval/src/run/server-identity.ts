import { withDeadline } from '../client/deadline.ts'
import { CompletionError } from '../client/failure.ts'
import { openSender } from '../client/sender.ts'
import { bodyText } from '../client/transport.ts'
import { excerpt } from '../text/excerpt.ts'
import { isRecord, parsedJson, textOf } from '../text/json.ts'
import type { ServerIdentity } from '../trace/server-identity.ts'
import { engineBuild } from './engine-build.ts'
import type { EngineOptions } from './engine-build.ts'

/** No run is held up longer by a server that does not say. */
const PATIENCE_MS = 2000
const MOST_MODELS = 1000

/**
 * What a server says of its models and its build; null where it did not answer. Never throws for what a server does.
 *
 * @throws what the signal was aborted with
 */
export async function serverIdentity(options: EngineOptions): Promise<ServerIdentity | null> {
  const [models, build] = await Promise.all([modelsOf(options), engineBuild(options)])
  return models === null ? null : { build, models }
}

async function modelsOf(options: EngineOptions): Promise<readonly string[] | null> {
  const { signal } = options
  const server = await openSender(options)
  const late = (): Error => new Error('the server did not say in time')
  try {
    return await withDeadline({ timeoutMs: PATIENCE_MS, signal }, late, async (deadline) => {
      const answer = await server.get('/models', deadline)
      return namesIn(parsedJson(await bodyText(answer)))
    })
  } catch (error) {
    signal?.throwIfAborted()
    // A server that has no list, or not for this key, is there all the same.
    return error instanceof CompletionError && error.failure.status !== null ? [] : null
  }
}

/** What tells models of one name apart, as far as engines say it: where the weights come from, how long a context may be. */
function namesIn(value: unknown): readonly string[] {
  const data: readonly unknown[] = isRecord(value) && Array.isArray(value['data']) ? value['data'] : []
  const texts = data.slice(0, MOST_MODELS).flatMap((model) => {
    if (!isRecord(model) || textOf(model['id']) === '') return []
    const root = textOf(model['root'])
    const length = model['max_model_len']
    const more = [root === textOf(model['id']) ? '' : root, typeof length === 'number' ? `${length} tokens` : '']
    return [
      [textOf(model['id']), ...more]
        .filter((part) => part !== '')
        .map((part) => excerpt(part))
        .join(' '),
    ]
  })
  return [...new Set(texts)].toSorted()
}
