import type { SimProtocol } from '../protocol.ts'
import { nativeSpeaker, nousSpeaker, qwenSpeaker } from './function-calls.ts'
import { reactSpeaker } from './react.ts'
import { roleReactSpeaker } from './role-react.ts'
import type { Speaker } from './speaker.ts'

/** The protocols as simulated models speak them, one row each. */
export const SPEAKERS: Readonly<Record<SimProtocol, Speaker>> = {
  'fncall-qwen': qwenSpeaker,
  'fncall-nous': nousSpeaker,
  react: reactSpeaker,
  'role-react': roleReactSpeaker,
  native: nativeSpeaker,
}
