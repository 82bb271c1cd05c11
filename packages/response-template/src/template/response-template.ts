import type { PyDict, PyValue } from '@callspec/python'
import type { Pattern } from '../regex/pattern.ts'

/** What ends or begins a region: texts, of which the longest counts, or a pattern. */
export type Delimiter =
  | {
      readonly kind: 'literals'
      /** Longest first. */
      readonly literals: readonly string[]
      /** One of them is the beginning of another one. */
      readonly canExtend: boolean
    }
  | { readonly kind: 'pattern'; readonly pattern: Pattern }

/** Names of the content parsers. */
export const CONTENT_PARSERS = ['bool', 'float', 'int', 'json', 'kv-lines', 'text', 'xml-inline'] as const

/** How the text of a region becomes a value. */
export type ContentParser = (typeof CONTENT_PARSERS)[number]

/** A field of a loaded template. */
export interface TemplateField {
  readonly name: string
  /** Null for the implicit field: it is open whenever no other one is. */
  readonly open: Delimiter | null
  /** Null for a field that runs to the end. */
  readonly close: Delimiter | null
  readonly content: ContentParser
  readonly contentArguments: PyDict
  readonly isRepeated: boolean
  readonly join: string | null
  readonly isOptional: boolean
  /** Null if there is none. */
  readonly transform: { readonly value: PyValue; readonly isForEach: boolean } | null
}

/** A template that was loaded without a fault. */
export interface ResponseTemplate {
  readonly defaults: PyDict
  readonly fields: readonly TemplateField[]
  readonly anchor: Delimiter
  /** The object it was loaded from. */
  readonly source: PyDict
}
