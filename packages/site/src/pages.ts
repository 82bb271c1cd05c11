/** Folders whose Markdown is no page: what a build put there, and what tests read. */
const NO_PAGES = ['node_modules', 'dist', 'publish', 'data', 'test', 'mutants'] as const

/** The same for VitePress, which looks for pages by itself; it leaves out folders that begin with a dot. */
export const NO_PAGE_PATTERNS: readonly string[] = NO_PAGES.map((name) => `**/${name}/**`)

/** Pages that stand in the repository where a site would not look for them. */
const MOVED: Readonly<Record<string, string>> = {
  'README.md': 'introduction.md',
  'README.zh.md': 'zh/introduction.md',
  'CONTRIBUTING.md': 'contributing.md',
  'CHANGELOG.md': 'changelog.md',
}

/**
 * Where a Markdown file of the repository stands in the site, or null where it is no page.
 *
 * @param path from the top of the repository, with slashes
 * @returns a path with the ending `.md`, as VitePress writes the addresses of pages
 */
export function pageOf(path: string): string | null {
  const folders = path.split('/')
  if (!path.endsWith('.md') || folders.some((name) => name.startsWith('.') || NO_PAGES.some((no) => no === name)))
    return null
  return MOVED[path] ?? path.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md')
}
