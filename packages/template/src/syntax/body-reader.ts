import type { Body } from './node.ts'
import type { TokenReader } from './token-reader.ts'
import type { Token } from './token.ts'

/** What a statement needs to read the bodies that belong to it. */
export interface BodyReader {
  readonly reader: TokenReader
  /** Reads statements up to a tag of one of these names, or up to the end where none is given. */
  readBody(ends: readonly string[]): Body
  /** Reads the end of a tag, the body behind it, and the name of the tag that ends the body. */
  readRest(ends: readonly string[]): { readonly body: Body; readonly end: Token }
  /** Says that there is no such tag. */
  refuseTag(token: Token): never
}
