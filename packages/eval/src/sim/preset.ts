import type { Protocol } from '../protocol.ts'

/** How many tasks of one pass over the suite get a fault or a policy. The rest are solved as the reference plan does. */
export interface Quota {
  /** An id of the fault catalogue, or of `POLICIES`. */
  readonly id: string
  readonly count: number
}

/** A simulated model. Fixed for ever: a changed quota is a new preset. */
export interface Preset {
  readonly id: string
  readonly about: string
  /** Whether the server cuts the text at the stop words of the request. Some servers do not. */
  readonly honoursStop: boolean
  readonly quotas: Readonly<Record<Protocol, readonly Quota[]>>
}

/** A model without any fault: whatever is not 100 % with it is a false alarm of ours. */
const PERFECT: Preset = {
  id: 'sim/perfect',
  about: 'solves every task, never errs',
  honoursStop: true,
  quotas: { 'fncall-qwen': [], 'fncall-nous': [], react: [], native: [], 'role-react': [] },
}

/**
 * One of everything: each label of the parse taxonomy and most ways to end occur, so that a scorer that forgets one
 * cannot agree with the ledger. Not a claim about any model.
 */
const FAULTY: Preset = {
  id: 'sim/faulty',
  about: 'known faults, in known numbers; stop words are ignored',
  honoursStop: false,
  quotas: {
    'fncall-nous': quotas(
      'F01 2, F03 3, F07 1, F08 1, F12 1, F19 1, F20 2, F21 2, F25 2, F27 1, F28 1, F31 1, F34 1, F36 1, repeat_forever 1, error_spiral 1',
    ),
    'fncall-qwen': quotas(
      'F03 1, F07 1, F12 1, F20 1, F21 1, F27 1, F28 1, F31 1, F34 1, F36 1, F38 1, repeat_forever 1',
    ),
    react: quotas(
      'F03 1, F07 1, F14 4, F16 1, F20 1, F21 2, F26 1, F27 1, F28 2, F31 1, F34 1, F36 1, repeat_forever 1, error_spiral 1, never_final 1',
    ),
    native: [],
    'role-react': quotas(
      'F41 2, F42 1, F43 1, F44 2, F45 1, F46 2, F47 1, F03 2, F07 1, F11 1, F12 1, F19 1, F21 1, F26 1, F27 1, F28 1, F31 1, F34 1, F36 1, repeat_forever 1, never_final 1',
    ),
  },
}

/** Every simulated model by its name. */
export const PRESETS: ReadonlyMap<string, Preset> = new Map([PERFECT, FAULTY].map((preset) => [preset.id, preset]))

function quotas(text: string): readonly Quota[] {
  return text.split(', ').map((part) => {
    const [id = '', count = '0'] = part.split(' ')
    return { id, count: Number(count) }
  })
}
