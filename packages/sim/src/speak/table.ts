import type { Format } from '@callspec/core'
import { MANNERS, simFormats, SPOKEN } from '../protocol.ts'
import type { Manner, SimProtocol } from '../protocol.ts'
import { formatSpeaker } from './format-speaker.ts'
import { nativeSpeaker, nousSpeaker, qwenSpeaker } from './function-calls.ts'
import { reactSpeaker } from './react.ts'
import { roleReactSpeaker } from './role-react.ts'
import type { Speaker } from './speaker.ts'

/** Of the protocols with words of their own, one row each. */
const SPEAKERS: Readonly<Record<Manner, Speaker>> = {
  marked: qwenSpeaker,
  tagged: nousSpeaker,
  worded: reactSpeaker,
  stated: roleReactSpeaker,
  native: nativeSpeaker,
}

const SPEAKER_OF: ReadonlyMap<SimProtocol, Speaker> = new Map(
  MANNERS.map((manner) => [SPOKEN[manner], SPEAKERS[manner]]),
)

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
  const speaker = SPEAKER_OF.get(protocol) ?? speakersOfFormats().get(protocol)
  if (speaker === undefined) throw new Error(`callspec: no simulated model speaks ${JSON.stringify(protocol)}`)
  return speaker
}
