import type { Format } from '@callspec/core'
import { simFormats } from '../protocol.ts'
import type { SimProtocol, SpokenProtocol } from '../protocol.ts'
import { formatSpeaker } from './format-speaker.ts'
import { nativeSpeaker, nousSpeaker, qwenSpeaker } from './function-calls.ts'
import { reactSpeaker } from './react.ts'
import { roleReactSpeaker } from './role-react.ts'
import type { Speaker } from './speaker.ts'

/** The protocols with words of their own, one row each. */
const SPEAKERS: Readonly<Record<SpokenProtocol, Speaker>> = {
  'fncall-qwen': qwenSpeaker,
  'fncall-nous': nousSpeaker,
  react: reactSpeaker,
  'role-react': roleReactSpeaker,
  native: nativeSpeaker,
}

const SPOKEN: ReadonlyMap<SimProtocol, Speaker> = new Map<SimProtocol, Speaker>(Object.entries(SPEAKERS))

/** Of the formats as they were listed when they were last asked for; each has one speaker for ever. */
let spoken: { readonly of: readonly Format[]; readonly byId: ReadonlyMap<SimProtocol, Speaker> } | null = null
const made = new WeakMap<Format, Speaker>()

function speakersOfFormats(): ReadonlyMap<SimProtocol, Speaker> {
  const formats = simFormats()
  if (spoken?.of === formats) return spoken.byId
  spoken = { of: formats, byId: new Map(formats.map((format) => [format.id, speakerFor(format)])) }
  return spoken.byId
}

function speakerFor(format: Format): Speaker {
  const speaker = made.get(format) ?? formatSpeaker(format)
  made.set(format, speaker)
  return speaker
}

/** @throws Error for a protocol that nobody speaks; names from outside are checked where they come in */
export function speakerOf(protocol: SimProtocol): Speaker {
  const speaker = SPOKEN.get(protocol) ?? speakersOfFormats().get(protocol)
  if (speaker === undefined) throw new Error(`callspec: no simulated model speaks ${JSON.stringify(protocol)}`)
  return speaker
}
