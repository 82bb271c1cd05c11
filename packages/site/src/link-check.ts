import type { Target } from './links.ts'

/** What the pages of one build say of each other. */
export interface LinkCheck {
  /** Takes a link of a file; the same one may come again. */
  readonly add: (link: { readonly from: string; readonly href: string; readonly target: Target }) => void
  /** Takes the anchors of a page. */
  readonly anchors: (page: string, anchors: readonly string[]) => void
  /** The links that lead nowhere, a line each, in order. */
  readonly faults: () => readonly string[]
}

/** Collects links and anchors while pages are made; which anchors there are is known when all of them are. */
export function createLinkCheck(): LinkCheck {
  const anchorsOf = new Map<string, ReadonlySet<string>>()
  const links = new Map<string, { readonly from: string; readonly href: string; readonly target: Target }>()
  return {
    add: (link) => links.set(`${link.from}\0${link.href}`, link),
    anchors: (page, anchors) => anchorsOf.set(page, new Set(anchors)),
    faults: () =>
      [...links.values()]
        .filter(({ target }) => target.kind === 'dead' || isMissingAnchor(target, anchorsOf))
        .map(({ from, href, target }) =>
          target.kind === 'dead'
            ? `${from}: nothing is at "${href}". Name a file of the repository, relative to this one.`
            : `${from}: "${href}" has no such heading. Name one as its page spells it.`,
        )
        .toSorted(),
  }
}

function isMissingAnchor(target: Target, anchorsOf: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  return target.kind === 'page' && target.anchor !== null && anchorsOf.get(target.page)?.has(target.anchor) !== true
}
