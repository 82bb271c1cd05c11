import type { Format } from '@callspec/core'
import { isList, pyIndex } from '@callspec/python'

import type { TextRange } from '../../../provenance.ts'
import type { Api } from '../api.ts'

/** As which tokens the markers of a format were said. */
export interface MarkerTokens {
  /** What is to be told of a text: markers that the vocabulary lacks, and those said otherwise than the model says them. */
  notes(said: SaidText): Promise<readonly string[]>
}

/** A text, and how it was said. */
export interface SaidText {
  readonly text: string
  /** As bytes in Latin-1; null where the engine does not show them. */
  readonly tokens: readonly string[] | null
  /** Where the model writes markers in pieces. */
  readonly plain: readonly TextRange[]
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
    notes: async (said) => {
      const notes: string[] = []
      for (const marker of markers.filter((each) => said.text.includes(each))) {
        const note = noteOf(marker, { said, isOne: await isToken(marker) })
        if (note !== null) notes.push(note)
      }
      return notes
    },
  }
}

function noteOf(
  marker: string,
  { said, isOne }: { readonly said: SaidText; readonly isOne: boolean | null },
): string | null {
  const { whole, inPieces } = timesIn(said, marker)
  const quoted = JSON.stringify(marker)
  if (isOne === false) return whole === 0 ? null : `${quoted} is no token of this vocabulary and was said as characters`
  if (said.tokens === null) return null
  const bytes = Buffer.from(marker).toString('latin1')
  const times = said.tokens.filter((token) => token === bytes).length
  if (times < whole)
    return `${quoted} was said as characters${isOne === true ? ', although the vocabulary has it as one token' : ''}`
  return times > whole && inPieces > 0 ? `${quoted} was said as one token where the model writes it in pieces` : null
}

/** How often a marker stands in a text as a token of the model, and how often in pieces. */
function timesIn({ text, plain }: SaidText, marker: string): { readonly whole: number; readonly inPieces: number } {
  const count = { whole: 0, inPieces: 0 }
  for (let at = text.indexOf(marker); at >= 0; at = text.indexOf(marker, at + marker.length)) {
    const start = plain.length === 0 ? 0 : pyIndex(text, at)
    if (plain.some(([from, to]) => from <= start && start < to)) count.inPieces += 1
    else count.whole += 1
  }
  return count
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
