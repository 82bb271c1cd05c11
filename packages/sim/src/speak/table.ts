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

/** The formats as they were listed when one was last asked for. */
let listed: { readonly of: readonly Format[]; readonly byId: ReadonlyMap<SimProtocol, Format> } | null = null

/** Each format has one speaker for ever, made when it is first asked for: that takes writing with it. */
const made = new WeakMap<Format, Speaker>()

function formatOf(protocol: SimProtocol): Format | undefined {
  const formats = simFormats()
  if (listed?.of !== formats) listed = { of: formats, byId: new Map(formats.map((format) => [format.id, format])) }
  return listed.byId.get(protocol)
}

function speakerFor(format: Format): Speaker {
  const speaker = made.get(format) ?? formatSpeaker(format)
  made.set(format, speaker)
  return speaker
}

/** @throws Error for a protocol that nobody speaks; names from outside are checked where they come in */
export function speakerOf(protocol: SimProtocol): Speaker {
  const spoken = SPEAKER_OF.get(protocol)
  if (spoken !== undefined) return spoken
  const format = formatOf(protocol)
  if (format === undefined) throw new Error(`callspec: no simulated model speaks ${JSON.stringify(protocol)}`)
  return speakerFor(format)
}
