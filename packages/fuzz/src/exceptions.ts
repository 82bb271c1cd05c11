import { FORMATS } from '@callspec/core'
import type { Exception } from './exception.ts'
import { isLawId } from './laws/index.ts'

/**
 * Where the built-in formats break a law because the reference does. Each has a case of its name in
 * `fixtures/laws/exceptions.json`; `docs/laws.md` lists them.
 */
export const EXCEPTIONS: { readonly [format: string]: readonly Exception[] | undefined } = Object.fromEntries(
  FORMATS.flatMap(({ id, exceptions = [] }) => {
    const own = exceptions.flatMap((each) => (isLawId(each.law) ? [{ ...each, law: each.law }] : []))
    return own.length === 0 ? [] : [[id, own]]
  }),
)
