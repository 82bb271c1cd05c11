import type { Implementation, Question, Reply } from '../../../implementation.ts'
import type { Api } from '../api.ts'
import { findWay } from './find-way.ts'
import type { FoundWay, SayMode } from './find-way.ts'
import { NOT_VERIFIED, sayer } from './say-texts.ts'
import { plural } from '../../../visible.ts'

/** How the texts of cases are said through a live engine. */
export interface SayOptions {
  readonly mode: SayMode
  /** Whether the engine's parser reads text only, as llama.cpp's does, so that tokens do not matter. */
  readonly readsText: boolean
  /** Texts of more tokens are skipped. */
  readonly maxTokens: number
}

/** An engine that says the texts of `parse` and `stream`. */
export type Speaker = Required<Pick<Implementation, 'remarks' | 'gone'>> & {
  answer(question: Question): Promise<Reply>
}

/**
 * Finds out how the engine can be made to say a text.
 *
 * @throws BrokenImplementation where no way works
 */
export async function openSay(
  api: Api,
  { url, model, options }: { readonly url: string; readonly model: string; readonly options: SayOptions },
): Promise<Speaker> {
  const found = await findWay(api, { url, model, mode: options.mode })
  let lost: string | null = null
  const gone = async (reason: string): Promise<void> => {
    const answer = await api.get(`${api.prefix}/models`)
    if (answer.kind !== 'none') return
    const now = answer.reason === reason ? '' : `; now it ${answer.reason}`
    lost = `${url}: the server ${reason}${now}. Start it again and repeat the run.`
  }
  const say = sayer({ api, model, found, maxTokens: options.maxTokens, readsText: options.readsText, gone })
  const counts = { said: 0, unverified: 0 }
  const notes = new Map<string, number>()
  return {
    answer: async (question) => {
      if (lost !== null) return { kind: 'errored', reason: `the engine is gone: ${lost}` }
      const reply = await say(question)
      if (reply.kind !== 'returned' && reply.kind !== 'raised') return reply
      counts.said += 1
      for (const note of reply.notes ?? []) {
        if (note === NOT_VERIFIED) counts.unverified += 1
        else notes.set(note, (notes.get(note) ?? 0) + 1)
      }
      return reply
    },
    gone: () => lost,
    remarks: () => [...beginning(found, counts), ...[...notes].map(([note, times]) => `${note}: ${times} ×`)],
  }
}

function beginning(
  { way, toolsRefused, thought }: FoundWay,
  { said, unverified }: { readonly said: number; readonly unverified: number },
): readonly string[] {
  const beside = toolsRefused === null ? 'also beside tools' : `refused beside tools (${toolsRefused})`
  const verified =
    unverified === 0
      ? 'each seen to be the text of its case'
      : `${unverified} of them not verified: nothing shows what was said`
  return [
    `said through "${way.name}", ${beside}: ${plural(said, 'text')}, ${verified}`,
    ...(thought === 'switched' ? [SWITCHED] : []),
    'one token came at a time: what breaks when several come in one delta cannot be seen this way',
  ]
}

const SWITCHED =
  'the prompt of the engine opens a thought: chat_template_kwargs {"enable_thinking": false} was sent, but for texts that begin in one'
