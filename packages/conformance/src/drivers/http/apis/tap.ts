import { API_PATHS } from '@callspec/apis'
import type { Api as ApiName } from '@callspec/apis'
import { dumps, isDict, isList, loads, Raise } from '@callspec/python'
import type { PlainValue, PyDict, PyList } from '@callspec/python'
import type { Api } from '../api.ts'

/** What a server shows of its last request. */
export interface Seen {
  /** The prompt as text, or its tokens as a list. */
  readonly prompt: string
  /** The text that the model wrote; null if it is not shown. */
  readonly said: string | null
}

/** A place where a server shows the prompts that it makes of requests, whatever their API. */
export interface Tap {
  /** For reports, such as `GET /slots`. */
  readonly how: string
  /** After a request with this body; null if this one is not shown. */
  seen(name: ApiName, body: PyDict): Promise<Seen | null>
}

/**
 * Finds out where a server shows its prompts: llama-server at `/slots`, if LLAMA_SERVER_SLOTS_DEBUG is set; vLLM at `…/render` of each
 * API. Null for others.
 */
export async function findTap(api: Api, model: string): Promise<Tap | null> {
  const body = { model, messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 1n }
  await api.post(`${api.prefix}${API_PATHS.chat}`, body)
  for (const tap of [slotsTap(api), renderTap(api)])
    if ((await tap.seen('chat', new Map(Object.entries(body as Record<string, PlainValue>)) as PyDict)) !== null)
      return tap
  return null
}

function slotsTap(api: Api): Tap {
  let before: number | null = null
  return {
    how: 'GET /slots',
    seen: async () => {
      const answer = await api.get('/slots')
      const slots = answer.kind === 'other' && answer.status === 200 ? listIn(answer.text) : []
      const shown = slots.filter(isDict).filter((slot) => typeof slot.get('prompt') === 'string')
      // The one that had the last request; the same task again is that of an earlier one.
      const last = shown.sort((one, other) => Number(other.get('id_task') ?? 0) - Number(one.get('id_task') ?? 0))[0]
      const task = Number(last?.get('id_task') ?? 0)
      if (task === before) return null
      before = task
      const [prompt, said] = [last?.get('prompt'), last?.get('generated')]
      return typeof prompt === 'string' ? { prompt, said: typeof said === 'string' ? said : null } : null
    },
  }
}

function renderTap(api: Api): Tap {
  return {
    how: 'POST …/render',
    seen: async (name, body) => {
      const answer = await api.post(`${api.prefix}${API_PATHS[name]}/render`, Object.fromEntries(body))
      const given = answer.kind === 'json' && answer.status === 200 ? answer.value : null
      const tokens = given?.get('token_ids') ?? given?.get('prompt_token_ids')
      return isList(tokens) ? { prompt: dumps(tokens), said: null } : null
    },
  }
}

function listIn(text: string): PyList {
  try {
    const value = loads(text)
    return isList(value) ? value : []
  } catch (error) {
    if (error instanceof Raise) return []
    throw error
  }
}
