/** What was done when a template or a reply raised. */
export type FaultStage = 'load' | 'prefix' | 'feed' | 'finalize'

/** Kinds of faults of a template, in the order in which it is checked (spec §1.1). */
export const LOAD_FAULTS = [
  'not-an-object',
  'version',
  'unknown-key',
  'defaults-type',
  'fields-type',
  'field-type',
  'unknown-field-key',
  'content-type',
  'unknown-content',
  'both-forms',
  'empty-list',
  'list-of-non-strings',
  'literal-type',
  'empty-literal',
  'pattern-type',
  'regex',
  'join-type',
  'join-without-repeats',
  'transform-each-type',
  'transform-each-alone',
  'mixed-placeholder',
  'groups-without-transform',
  'two-implicit',
  'no-anchor',
] as const

/** Kinds of faults of a reply. `never-returns` and `pattern-limit` are ours: there the reference loops or takes too long. */
export const REPLY_FAULTS = [
  'no-prefix',
  'int',
  'int-digits',
  'float',
  'json',
  'json-dialect',
  'json-sentinel',
  'no-tag-pattern',
  'no-key-group',
  'value-parser',
  'value-group-absent',
  'placeholder',
  'placeholder-index',
  'placeholder-key',
  'each-not-a-list',
  'each-not-an-object',
  'join-non-string',
  'repeat-default',
  'missing-field',
  'finalized',
  'regex',
  'never-returns',
  'pattern-limit',
  'other',
] as const

/** What is wrong. */
export type FaultKind = (typeof LOAD_FAULTS)[number] | (typeof REPLY_FAULTS)[number]

/** A raise of the reference as data: its Python type, our name for it, and its text. */
export interface Fault {
  readonly stage: FaultStage
  readonly type: string
  readonly kind: FaultKind
  readonly message: string
}

/** A template or a reply that the reference refuses. Thrown inside of this package; its functions answer with a `Fault`. */
export class TemplateRaise extends Error {
  readonly kind: FaultKind
  readonly type: string

  constructor(kind: FaultKind, message: string, type = 'ValueError') {
    super(message)
    this.name = 'TemplateRaise'
    this.kind = kind
    this.type = type
  }
}

/** The data of a raise. */
export function faultOf(stage: FaultStage, raise: TemplateRaise): Fault {
  return { stage, type: raise.type, kind: raise.kind, message: raise.message }
}
