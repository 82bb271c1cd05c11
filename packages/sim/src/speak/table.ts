import { SIM_FORMATS } from '../protocol.ts'
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

const BY_NAME: ReadonlyMap<SimProtocol, Speaker> = new Map<SimProtocol, Speaker>([
  ...Object.entries(SPEAKERS),
  ...SIM_FORMATS.map((format) => [format.id, formatSpeaker(format)] as const),
])

/** @throws Error for a protocol that nobody speaks; names from outside are checked where they come in */
export function speakerOf(protocol: SimProtocol): Speaker {
  const speaker = BY_NAME.get(protocol)
  if (speaker === undefined) throw new Error(`callspec: no simulated model speaks ${JSON.stringify(protocol)}`)
  return speaker
}
