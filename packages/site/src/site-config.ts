import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { DefaultTheme, UserConfig } from 'vitepress'
import { CHINESE_SEARCH, CHINESE_THEME } from './chinese.ts'
import { createLinkCheck, browsable, NO_PAGE_PATTERNS, pageOf } from './links.ts'
import { llmsText, writeLlms } from './llms.ts'
import { readRepositoryMarkdown } from './repository-markdown.ts'

/**
 * The site of a repository: its Markdown, read where it lies. Building it fails with every link that leads nowhere.
 *
 * @param root the repository, an absolute path
 * @param address the public address of the repository, as in package.json; empty if unknown
 */
export function siteConfig(root: string, address: string): UserConfig<DefaultTheme.Config> {
  const check = createLinkCheck()
  const files = new Map<string, string>()
  const repository = { has: (path: string) => existsSync(join(root, path)), address: browsable(address) }
  return {
    title: 'callspec',
    description: 'The specification tests of tool calling',
    // Without one a browser asks for a picture that is not there.
    head: [
      ['link', { rel: 'icon', href: 'data:,' }],
      ['style', {}, NARROW_STYLE],
    ],
    srcDir: root,
    outDir: './dist',
    cacheDir: './node_modules/.cache/vitepress',
    srcExclude: [...NO_PAGE_PATTERNS],
    rewrites: (path: string) => {
      const page = pageOf(path) ?? path
      files.set(page, path)
      return page
    },
    // VitePress's own check knows neither anchors nor files outside the site, and would report first.
    ignoreDeadLinks: true,
    locales: languages((path) => readFileSync(join(root, path), 'utf8')),
    themeConfig: theme(repository.address),
    markdown: {
      html: false,
      attrs: { disable: true },
      anchor: { slugify: slugOf },
      config: (md) => readRepositoryMarkdown(md, { repository, check, sourceOf: (page) => files.get(page) ?? page }),
    },
    vite: { build: { chunkSizeWarningLimit: 4096 } },
    buildEnd: ({ outDir }) => {
      const faults = check.faults()
      if (faults.length > 0) throw new Error(`links that lead nowhere:\n${faults.join('\n')}`)
      const index = readFileSync(join(root, 'docs/README.md'), 'utf8')
      writeLlms(outDir, {
        text: llmsText(index, (link) => pageOf(posix.join('docs', link))),
        files: new Map([...files].map(([page, path]) => [page, join(root, path)])),
      })
    },
  }
}

/** On a phone tables of few columns fit, and commands are wrapped; listings keep their columns, and scroll. */
const NARROW_STYLE = `@media (max-width: 640px) {
.vp-doc :is(th, td) { padding: 4px 6px; font-size: 13px; line-height: 1.5 }
.vp-doc .language-sh code { white-space: pre-wrap; overflow-wrap: anywhere; width: auto }
}`

function theme(address: string): DefaultTheme.Config {
  return {
    search: {
      provider: 'local',
      options: {
        locales: { zh: CHINESE_SEARCH },
        miniSearch: { options: { tokenize: searchTerms }, searchOptions: { combineWith: 'AND' } },
      },
    },
    outline: { level: [2, 3] },
    // Not every page is there in Chinese; the switch leads to the index of those that are.
    i18nRouting: false,
    ...(address !== '' && { socialLinks: [{ icon: 'git', link: address }] }),
  }
}

/** Pages of another builder, `scripts/build-compat.mjs`. */
const COMPAT = { text: 'Compatibility', link: '/compat/index.html', target: '_self' }

function languages(read: (path: string) => string): NonNullable<UserConfig<DefaultTheme.Config>['locales']> {
  return {
    root: {
      label: 'English',
      lang: 'en',
      themeConfig: {
        nav: [
          { text: 'Introduction', link: '/introduction' },
          { text: 'All pages', link: '/' },
          COMPAT,
          { text: 'Changes', link: '/changelog' },
          { text: 'Contributing', link: '/contributing' },
        ],
        sidebar: sidebarOf(read('docs/README.md'), '/'),
      },
    },
    zh: {
      label: '简体中文',
      lang: 'zh-CN',
      description: '工具调用的规范测试',
      themeConfig: {
        nav: [
          { text: '简介', link: '/zh/introduction' },
          { text: '全部文档', link: '/zh/' },
          { ...COMPAT, text: '兼容性' },
        ],
        sidebar: sidebarOf(read('docs/zh/README.md'), '/zh/'),
        ...CHINESE_THEME,
      },
    },
  }
}

export interface SidebarGroup {
  readonly text: string
  readonly collapsed: boolean
  readonly items: { readonly text: string; readonly link: string }[]
}

const ENTRY = /^- \[([^\]]+)\]\(([^)#]+)\.md\)/

/**
 * The sidebar: the headings and entries of an index page, so that both always agree.
 *
 * @param index the Markdown of the index
 * @param base the address of the folder of the index
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

/**
 * The words that the search keeps of a text: of Chinese every pair of neighbours, because nothing parts its words. Both the build and
 * the page call it, the page from its source text: it must not use anything from outside.
 */
export function searchTerms(text: string): string[] {
  const runs = text.match(/\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{M}\p{N}])+/gu) ?? []
  return runs.flatMap((run) => {
    if (run.length < 3 || !/\p{Script=Han}/u.test(run)) return [run]
    return Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2))
  })
}

/** The anchor of a heading, as hosts of repositories make it, so that one link serves there and on the site. */
export function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}
