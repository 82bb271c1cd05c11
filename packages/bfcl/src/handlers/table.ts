import type { PyValue } from '@callspec/python'
import type { Format } from '@callspec/core'
import { formats } from '@callspec/core/qwen-agent'
import { recordedNameOfAlias } from '@callspec/eval'
import type { DecodedOutput } from '../check-output.ts'
import type { BfclLanguage } from '../verdict.ts'
import { CALL_LIST_HANDLERS } from './call-lists.ts'
import { decoded } from './handler.ts'
import type { Decode } from './handler.ts'
import { JSON_HANDLERS } from './json-calls.ts'
import {
  formatLeniently,
  formatStrictly,
  jsonLeniently,
  linesLeniently,
  listLeniently,
  nativeLeniently,
} from './lenient.ts'
import type { ReadLeniently } from './lenient.ts'
import { NATIVE_HANDLERS } from './native-calls.ts'

/** How the outputs of a model are decoded: as BFCL's own handler does it, and as leniently as they allow. */
export interface BfclHandler {
  readonly strict: (output: PyValue, language: BfclLanguage) => DecodedOutput
  readonly lenient: ReadLeniently
}

const LENIENT_JSON: Readonly<Record<string, ReadLeniently>> = {
  glaive: jsonLeniently('<functioncall>'),
  glm: linesLeniently,
  granite: jsonLeniently('<function_call>'),
  hermes: formatLeniently(recordedNameOfAlias('hermes') ?? 'hermes'),
  xlam: jsonLeniently(null),
}

/**
 * All handlers by name: those of BFCL's release of August 2024, `python` and `native` as later releases decode every model
 * without a handler of its own, and our formats, which BFCL does not know.
 */
export const BFCL_HANDLERS: Readonly<Record<string, BfclHandler>> = {
  ...handlers(CALL_LIST_HANDLERS, () => listLeniently),
  ...handlers(NATIVE_HANDLERS, () => nativeLeniently),
  ...handlers(JSON_HANDLERS, (name) => LENIENT_JSON[name] ?? listLeniently),
  ...Object.fromEntries(
    Object.values(formats).map(({ id, recordedAs: name = id }: Pick<Format, 'id' | 'recordedAs'>) => [
      id,
      { strict: formatStrictly(name), lenient: formatLeniently(name) },
    ]),
  ),
}

function handlers(
  decodes: Readonly<Record<string, Decode>>,
  leniently: (name: string) => ReadLeniently,
): Readonly<Record<string, BfclHandler>> {
  return Object.fromEntries(
    Object.entries(decodes).map(([name, decode]) => [
      name,
      { strict: (output, language) => decoded(decode, output, language), lenient: leniently(name) },
    ]),
  )
}
