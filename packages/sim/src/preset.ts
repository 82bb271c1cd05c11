import { SPOKEN } from './protocol.ts'

/** A simulated model with a name of its own. Fixed for ever: changed rates are a new preset. */
export interface Preset {
  readonly id: string
  readonly about: string
  /** What it stands for, in the grammar of model names. */
  readonly stands: string
}

/**
 * One of everything: each label of the parse taxonomy and most ways to end occur, so that a scorer that forgets one
 * cannot agree with the ledger. The numbers are tasks per pass over the suite.
 */
const FAULTY = [
  'oracle?mode=quota&transport=ignore_stop',
  `protocol.${SPOKEN.tagged}.fault=F01*2,F03*3,F07*1,F08*1,F12*1,F19*1,F20*2,F21*2,F25*2,F27*1,F28*1,F31*1,F34*1,F36*1`,
  `protocol.${SPOKEN.tagged}.policy=repeat_forever*1,error_spiral*1`,
  `protocol.${SPOKEN.marked}.fault=F03*1,F07*1,F12*1,F20*1,F21*1,F27*1,F28*1,F31*1,F34*1,F36*1,F38*1`,
  `protocol.${SPOKEN.marked}.policy=repeat_forever*1`,
  `protocol.${SPOKEN.worded}.fault=F03*1,F07*1,F14*4,F16*1,F20*1,F21*2,F26*1,F27*1,F28*2,F31*1,F34*1,F36*1`,
  `protocol.${SPOKEN.worded}.policy=repeat_forever*1,error_spiral*1,never_final*1`,
  `protocol.${SPOKEN.stated}.fault=F41*2,F42*1,F43*1,F44*2,F45*1,F46*2,F47*1,F03*2,F07*1,F11*1,F12*1,F19*1,F21*1,F26*1,F27*1,F28*1,F31*1,F34*1,F36*1`,
  `protocol.${SPOKEN.stated}.policy=repeat_forever*1,never_final*1`,
  `protocol.${SPOKEN.native}.fault=F04*2,F08*1,F19*1,F20*1,F21*1,F23*1,F25*1,F31*1,F34*1,F35*1,F36*1`,
  `protocol.${SPOKEN.native}.policy=repeat_forever*1,error_spiral*1`,
  'protocol.formats.fault=F01*1,F03*2,F07*1,F12*1,F20*2,F21*2,F25*1,F27*1,F28*1,F31*1,F34*1,F36*1,F38*1',
  'protocol.formats.policy=repeat_forever*1,error_spiral*1',
].join('&')

/** Every simulated model with a name of its own. Rates are calibrated to counts in real outputs; none is a claim about a model. */
export const PRESETS: ReadonlyMap<string, Preset> = new Map(
  [
    {
      id: 'sim/perfect',
      about: 'solves every task, never errs: whatever is not 100 % with it is a false alarm',
      stands: 'oracle',
    },
    { id: 'sim/faulty', about: 'known faults, in known numbers; stop words are ignored', stands: FAULTY },
    {
      id: 'sim/perfect-noisy-ok',
      about: 'solves every task in unusual but correct words',
      stands: 'oracle?mode=quota&transport=ignore_stop&fault=F37*2,F38*4,F12*4,F13*4,F30*4,F39*4',
    },
    {
      id: 'sim/hermes-7b-like',
      about: 'the faults of a 7B model in the format that it was trained on',
      stands: 'oracle?fault=F01:0.033,F03:0.10,F13:0.036,F23:0.03',
    },
    {
      id: 'sim/react-small-zh',
      about: 'a small model that was taught ReAct in Chinese',
      stands: 'oracle?fault=F14:0.05,F16:0.03,F28:0.10,F10:0.04,F29:0.05',
    },
    {
      id: 'sim/thinker',
      about: 'calls in its thoughts, forgets to close them, runs out of tokens',
      stands: 'oracle?fault=F25:0.06,F26:0.02,F34:0.05',
    },
    {
      id: 'sim/looper',
      about: 'does not come to an end',
      stands: 'repeat_forever@0.08,cycle2@0.03,error_spiral@0.04',
    },
    {
      id: 'sim/leaky-server',
      about: 'a perfect model that would go on behind every call, on a server that ignores stop words',
      stands: 'oracle?fault=F28:1&transport=ignore_stop',
    },
    {
      id: 'sim/flaky-infra',
      about: 'a perfect model behind a server that is busy or breaks off',
      stands: 'oracle?transport=429(1)@0.1,stream_cut(3)@0.02',
    },
    {
      id: 'sim/bfcl-mix',
      about: 'as many calls that cannot be decoded as in 40,000 published outputs: 12.9 %',
      stands: 'oracle?fault=F11:0.055,F03:0.03,F08:0.012,F07:0.012,F35:0.01,F04:0.005,F05:0.005',
    },
    {
      id: 'sim/adversarial',
      about: 'every turn has a fault, each of the catalogue as often',
      stands: 'oracle?fault=all:1&transport=ignore_stop',
    },
  ].map((preset) => [preset.id, preset]),
)
