/** A group of the list beside a page. */
export interface SidebarGroup {
  readonly text: string
  readonly collapsed: boolean
  readonly items: { readonly text: string; readonly link: string }[]
}

const ENTRY = /^- \[([^\]]+)\]\(([^)#]+)\.md\)/

/**
 * The list beside every page: the headings and entries of an index, so that what stands in one stands in the other.
 *
 * @param index the Markdown of the index
 * @param base the address of the folder that it stands in
 */
export function sidebarOf(index: string, base: string): SidebarGroup[] {
  const groups: SidebarGroup[] = []
  for (const line of index.split('\n')) {
    const heading = /^## (.*)$/.exec(line)?.[1]
    if (heading !== undefined) groups.push({ text: heading, collapsed: false, items: [] })
    const [, text, link] = ENTRY.exec(line) ?? []
    if (text !== undefined && link !== undefined)
      groups.at(-1)?.items.push({ text: text.replaceAll('`', ''), link: new URL(link, `http://site${base}`).pathname })
  }
  return groups.filter(({ items }) => items.length > 0)
}
