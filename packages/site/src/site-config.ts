import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DefaultTheme, UserConfig } from 'vitepress'
import { CHINESE_SEARCH, CHINESE_THEME } from './chinese.ts'
import { createLinkCheck } from './link-check.ts'
import { browsable } from './links.ts'
import { NO_PAGE_PATTERNS, pageOf } from './pages.ts'
import { readRepositoryMarkdown } from './repository-markdown.ts'
import { searchTerms } from './search-terms.ts'
import { sidebarOf } from './sidebar.ts'
import { slugOf } from './slug.ts'

/**
 * The site of a repository: its Markdown, read where it lies. Building it fails with every link that leads nowhere.
 *
 * @param root the repository, an absolute path
 * @param address where it can be looked at, as package.json writes it; empty where nobody has said so
 */
export function siteConfig(root: string, address: string): UserConfig<DefaultTheme.Config> {
  const check = createLinkCheck()
  const files = new Map<string, string>()
  const repository = { has: (path: string) => existsSync(join(root, path)), address: browsable(address) }
  return {
    title: 'callspec',
    description: 'The specification tests of tool calling',
    // Without one a browser asks for a picture that is not there.
    head: [['link', { rel: 'icon', href: 'data:,' }]],
    srcDir: root,
    outDir: './dist',
    cacheDir: './node_modules/.cache/vitepress',
    srcExclude: [...NO_PAGE_PATTERNS],
    rewrites: (path: string) => {
      const page = pageOf(path) ?? path
      files.set(page, path)
      return page
    },
    // Its own check knows neither anchors nor files that are no pages, and would speak first.
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
    buildEnd: () => {
      const faults = check.faults()
      if (faults.length > 0) throw new Error(`links that lead nowhere:\n${faults.join('\n')}`)
    },
  }
}

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

function languages(read: (path: string) => string): NonNullable<UserConfig<DefaultTheme.Config>['locales']> {
  return {
    root: {
      label: 'English',
      lang: 'en',
      themeConfig: {
        nav: [
          { text: 'Introduction', link: '/introduction' },
          { text: 'All pages', link: '/' },
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
        ],
        sidebar: sidebarOf(read('docs/zh/README.md'), '/zh/'),
        ...CHINESE_THEME,
      },
    },
  }
}
