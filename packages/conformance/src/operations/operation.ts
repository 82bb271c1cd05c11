import type { MetagptProfile } from '@callspec/metagpt'
import type { Profile, Tokenizer } from '@callspec/core/qwen-agent'
import type { PyDict } from '@callspec/python'

/** What an operation gets besides its input. */
export interface OperationContext {
  /** The version of the reference that is asked for. */
  readonly profile: Profile
  /** The version of MetaGPT, for its operations. Absent means the default one. */
  readonly roleProfile?: MetagptProfile
  /** The prompt format that the case is about; only the coarse operations look at it. */
  readonly format?: string
  /** Loads its vocabulary when it is first used, so that operations without a count do not pay for it. */
  readonly tokenizer: Tokenizer
}

/**
 * Answers one case: unpacks `input`, calls core, packs the answer in the form of the case's `expected`.
 *
 * Throws a `Raise` where the reference raises, and an `InputError` where the input lacks what the operation needs.
 * Any other exception is a defect of ours and makes the case `errored`.
 */
export type Operation = (input: PyDict, context: OperationContext) => PyDict
