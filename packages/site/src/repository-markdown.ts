import type { MarkdownRenderer } from 'vitepress'
import type { Repository, LinkCheck } from './links.ts'
import { follow } from './links.ts'

type Token = ReturnType<MarkdownRenderer['parse']>[number]

export interface Reading {
  readonly repository: Repository
  readonly check: LinkCheck
  /** The file that a page is made of; pages know their place in the site only. */
  readonly sourceOf: (page: string) => string
}

/**
 * Lets VitePress read the Markdown of the repository unchanged: links lead where a host of repositories leads them, and every text is
 * literal. Pages are templates of Vue, and ours are full of `{{` and `<tool_call>`.
 */
export function readRepositoryMarkdown(md: MarkdownRenderer, { repository, check, sourceOf }: Reading): void {
  // `:x:` in a text is no picture.
  md.disable('emoji')
  const render = md.renderer.render.bind(md.renderer)
  md.renderer.render = (...given) => render(...given).replaceAll('{{', '&#123;&#123;')
  // Without HTML a comment would be a text of its own.
  md.block.ruler.before(
    'paragraph',
    'comment',
    (state, line) => {
      const text = state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line] ?? 0)
      if (!/^<!--(?:(?!-->).)*-->\s*$/.test(text)) return false
      state.line = line + 1
      return true
    },
    { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
  )
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    const { relativePath: page } = env as { readonly relativePath: string }
    const from = sourceOf(page)
    check.anchors(
      pageNamed(page),
      tokens.flatMap((token) => (token.type === 'heading_open' ? [token.attrGet('id') ?? ''] : [])),
    )
    for (const { children } of tokens)
      for (const link of (children ?? []).filter(({ type }) => type === 'link_open')) {
        const href = link.attrGet('href') ?? ''
        // Headings link to themselves.
        if (link.attrGet('class') === 'header-anchor') continue
        const target = follow(href, { from, repository })
        check.add({ from, href, target })
        if (target.kind === 'page') link.attrSet('href', addressOf(target))
        if (target.kind === 'file') leadToFile(link, { target, siblings: children ?? [] })
      }
  })
}

/** A page is named alike however it was asked for. */
function pageNamed(page: string): string {
  return page.replaceAll('\\', '/')
}

function addressOf({ page, anchor }: { readonly page: string; readonly anchor: string | null }): string {
  return `/${page}${anchor === null ? '' : `#${anchor}`}`
}

/** Without a public address of the repository, a text names the file. */
function leadToFile(
  link: Token,
  {
    target,
    siblings,
  }: { readonly target: { readonly path: string; readonly address: string | null }; readonly siblings: Token[] },
): void {
  if (target.address !== null) {
    link.attrSet('href', target.address)
    return
  }
  const end = siblings.slice(siblings.indexOf(link)).find(({ type }) => type === 'link_close')
  link.type = 'file_open'
  link.tag = 'span'
  link.attrs = [['title', target.path]]
  if (end !== undefined) [end.type, end.tag] = ['file_close', 'span']
}
