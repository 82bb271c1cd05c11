/**
 * A part of a Java or JavaScript expression, as far as BFCL looks at one. `from`, `to`: the tokens that it is made of, `to`
 * exclusive.
 */
export type SourceNode = Range &
  (
    | { readonly kind: 'call'; readonly target: SourceNode; readonly args: readonly SourceNode[] }
    /** `arguments` of `new T(…)`; null for `new T[…]`, whose `{…}` is `items`. */
    | {
        readonly kind: 'new'
        readonly type: Range
        readonly args: readonly SourceNode[] | null
        readonly items: SourceNode | null
      }
    | { readonly kind: 'assignment'; readonly operator: string; readonly left: SourceNode; readonly right: SourceNode }
    | { readonly kind: 'name' | 'text' }
    /** `a.b`, `a[0]`, anything else. `parts`: what of it has to be looked at by itself. */
    | { readonly kind: 'member' | 'index' | 'other'; readonly parts: readonly SourceNode[] }
  )

/** Tokens of a source text, `to` exclusive. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** The first call of a part, the outermost before those inside of it. */
export function firstCall(node: SourceNode): (SourceNode & { readonly kind: 'call' }) | null {
  if (node.kind === 'call') return node
  for (const part of partsOf(node)) {
    const call = firstCall(part)
    if (call !== null) return call
  }
  return null
}

/** What a part holds, in order. */
export function partsOf(node: SourceNode): readonly SourceNode[] {
  switch (node.kind) {
    case 'call':
      return [node.target, ...node.args]
    case 'new':
      return [...(node.args ?? []), ...(node.items === null ? [] : [node.items])]
    case 'assignment':
      return [node.left, node.right]
    case 'member':
    case 'index':
    case 'other':
      return node.parts
    default:
      return []
  }
}
