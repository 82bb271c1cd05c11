import type { Format } from '@callspec/core'
import { isList } from '@callspec/python'

import type { Api } from '../api.ts'

/** As which tokens the markers of a format were said. */
export interface MarkerTokens {
  /** What is to be told of a text: markers that the vocabulary lacks, and those said as characters. */
  notes(text: string, tokens: readonly string[] | null): Promise<readonly string[]>
}

/**
 * Looks up the markers of a format in the vocabulary of an engine (`POST /tokenize`), each once. Markers are whole tags and
 * whole words in brackets: beginnings such as `<function=` are written as text by every model.
 */
export function markerTokens(
  api: Api,
  { model, format }: { readonly model: string; readonly format: Format | null },
): MarkerTokens {
  const markers = format === null ? [] : markersOf(format)
  const known = new Map<string, Promise<boolean | null>>()
  const isToken = (marker: string): Promise<boolean | null> => {
    const found = known.get(marker) ?? isOneToken(api, { model, marker })
    known.set(marker, found)
    return found
  }
  return {
    notes: async (text, tokens) => {
      const notes: string[] = []
      for (const marker of markers.filter((each) => text.includes(each))) {
        const isOne = await isToken(marker)
        const quoted = JSON.stringify(marker)
        if (isOne === false) notes.push(`${quoted} is no token of this vocabulary and was said as characters`)
        else if (tokens !== null && !isSaidWhole(marker, { text, tokens })) {
          notes.push(
            `${quoted} was said as characters${isOne === true ? ', although the vocabulary has it as one token' : ''}`,
          )
        }
      }
      return notes
    },
  }
}

function markersOf({ markers }: Format): readonly string[] {
  const { callStart, callInner, callEnd, thought } = markers
  const all = [...callStart, ...callInner, ...callEnd, ...(thought === null ? [] : [thought.open, thought.close])]
  return [...new Set(all)].filter((marker) => /^(?:<[^\s<>]+>|\[[^\s[\]]+\])$/.test(marker))
}

/** null where the engine cannot be asked. */
async function isOneToken(
  api: Api,
  { model, marker }: { readonly model: string; readonly marker: string },
): Promise<boolean | null> {
  // llama.cpp reads `content`, vLLM `prompt`.
  const body = {
    model,
    content: marker,
    prompt: marker,
    add_special: false,
    add_special_tokens: false,
    parse_special: true,
  }
  const answer = await api.post('/tokenize', body)
  const tokens = answer.kind === 'json' && answer.status === 200 ? answer.value.get('tokens') : null
  return isList(tokens) ? tokens.length === 1 : null
}

/** Whether every marker of the text begins and ends where a token does, with nothing parted in between. Linear. */
function isSaidWhole(
  marker: string,
  { text, tokens }: { readonly text: string; readonly tokens: readonly string[] },
): boolean {
  const bytes = Buffer.from(marker).toString('latin1')
  const times = text.split(marker).length - 1
  return tokens.filter((token) => token === bytes).length >= times
}
