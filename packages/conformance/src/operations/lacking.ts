import { formats } from '@callspec/core/qwen-agent'
import type { Profile } from '@callspec/core/qwen-agent'

/** What of the reference a version does not have yet, by the name of the operation. */
const SINCE: readonly { readonly isPart: (op: string) => boolean; readonly isIn: (profile: Profile) => boolean }[] = [
  // The stream operation is a chat: a format that a version does not know is a parameter like any other to it.
  ...Object.values(formats).map(({ id, profiles }) => ({
    isPart: (op: string) => op.startsWith(`${id}.`) && op !== `${id}.postprocess_stream`,
    isIn: ({ name }: Profile) => profiles.includes(name),
  })),
  { isPart: (op) => op === 'json_loads_lenient', isIn: ({ argumentReader }) => argumentReader === 'lenient' },
]

/** Whether this version of Qwen-Agent has what an operation asks for. */
export function isInVersion(op: string, profile: Profile): boolean {
  return SINCE.every(({ isPart, isIn }) => !isPart(op) || isIn(profile))
}
