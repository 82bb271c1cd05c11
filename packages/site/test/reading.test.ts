import { readFileSync, readdirSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { createLinkCheck, browsable, follow, pageOf } from '../src/links.ts'
import { llmsText } from '../src/llms.ts'
import { searchTerms, sidebarOf, slugOf } from '../src/site-config.ts'

const FILES = [
  'docs/laws.md',
  'docs/zh/README.md',
  'README.md',
  'packages/core/README.md',
  'packages/core/src/index.ts',
]
const repository = { has: (path: string) => FILES.includes(path), address: '' }

describe('a Markdown file of the repository', () => {
  it.each([
    ['docs/README.md', 'index.md'],
    ['docs/zh/README.md', 'zh/index.md'],
    ['docs/formats/nous.md', 'formats/nous.md'],
    ['README.zh.md', 'zh/introduction.md'],
    ['packages/core/src/formats/nous/README.md', 'packages/core/src/formats/nous/index.md'],
    ['packages/cli/test/fixtures/before-formats/README.md', null],
    ['.changeset/README.md', null],
    ['docs/images/report.png', null],
  ])('%s is the page %s', (path, page) => {
    expect(pageOf(path)).toBe(page)
  })
})

describe('a link', () => {
  const from = 'docs/zh/README.md'

  it('to another page leads there, with its anchor', () => {
    const target = follow('../laws.md#the-problems', { from, repository })

    expect(target).toEqual({ kind: 'page', page: 'laws.md', anchor: 'the-problems' })
  })

  it('to a heading of its own page leads to that page', () => {
    const target = follow('#%E8%B4%B9%E7%94%A8', { from, repository })

    expect(target).toEqual({ kind: 'page', page: 'zh/index.md', anchor: '费用' })
  })

  it('to a source has an address only if the address of the repository is set', () => {
    const href = '../../packages/core/src/index.ts'
    const address = browsable('git+https://git.example/some/body.git')

    const before = follow(href, { from, repository })
    const after = follow(href, { from, repository: { ...repository, address } })

    expect(before).toEqual({ kind: 'file', path: 'packages/core/src/index.ts', address: null })
    expect(after).toMatchObject({ address: 'https://git.example/some/body/blob/HEAD/packages/core/src/index.ts' })
  })

  it.each(['nothing.md', '../../../laws.md', '/laws.md', '../laws%zz.md'])('to %s is dead', (href) => {
    expect(follow(href, { from, repository })).toEqual({ kind: 'dead' })
  })

  it.each(['https://example.org/a', 'mailto:a@example.org', '//example.org'])('to %s leads elsewhere', (href) => {
    expect(follow(href, { from, repository })).toEqual({ kind: 'elsewhere' })
  })
})

describe('the check of links', () => {
  it('reports dead links and missing headings once, however often a page is made', () => {
    const check = createLinkCheck()
    for (const href of ['../laws.md#laws', '../laws.md#lawz', 'gone.md', 'gone.md']) {
      const from = 'docs/zh/README.md'
      check.add({ from, href, target: follow(href, { from, repository }) })
    }
    check.anchors('laws.md', ['laws'])

    expect(check.faults()).toEqual([
      'docs/zh/README.md: "../laws.md#lawz" has no such heading. Name one as its page spells it.',
      'docs/zh/README.md: nothing is at "gone.md". Name a file of the repository, relative to this one.',
    ])
  })
})

describe('a heading', () => {
  it.each([
    ['Set it up', 'set-it-up'],
    ['`--http URL`: a live server', '--http-url-a-live-server'],
    ['比较两次运行', '比较两次运行'],
  ])('%s has the anchor %s', (heading, slug) => {
    expect(slugOf(heading)).toBe(slug)
  })
})

describe('the search', () => {
  it('keeps words of Chinese by their neighbours, and other words as they are', () => {
    expect(searchTerms('停止词 stop-words: 温度，a')).toEqual(['停止', '止词', 'stop', 'words', '温度', 'a'])
  })

  it('needs nothing but its own source text', () => {
    const found: unknown = runInNewContext(`(${searchTerms.toString()})('停止词 a').join()`)

    expect(found).toBe('停止,止词,a')
  })
})

describe('the list of a page', () => {
  it('has the headings and entries of the index, and no heading without an entry', () => {
    const index =
      '# Docs\n\n## Empty\n\n## Parsers\n\n- [The `laws`](laws.md): what holds.\n- [nous](formats/nous.md)\n'

    expect(sidebarOf(index, '/zh/')).toEqual([
      {
        text: 'Parsers',
        collapsed: false,
        items: [
          { text: 'The laws', link: '/zh/laws' },
          { text: 'nous', link: '/zh/formats/nous' },
        ],
      },
    ])
  })
})

describe('llms.txt', () => {
  it('has the pages of the index with their sentences, under its headings', () => {
    const index =
      '# Docs\n\n## One\n\n- [Laws](laws.md) ([中文](zh/laws.md)): what must be true.\n- [Up](../x.txt)\n- [Exits](exit.md).\n'

    expect(
      llmsText(index, (link) => link)
        .split('\n')
        .slice(4),
    ).toEqual(['## One', '', '- [Laws](laws.md): what must be true.', '- [Exits](exit.md)', ''])
  })
})

describe('a page of a symptom', () => {
  const folder = new URL('../../../docs/symptoms/', import.meta.url)
  const names = readdirSync(folder)

  it.each(names)('%s is short and ends in one command, the same in Chinese', (name) => {
    const english = readFileSync(new URL(name, folder), 'utf8')
    const chinese = readFileSync(new URL(`../zh/symptoms/${name}`, folder), 'utf8')
    const commandOf = (page: string): string | undefined => /```sh\n(callspec [^\n]*)\n```\n$/.exec(page)?.[1]

    expect(english.split('\n').length).toBeLessThan(40)
    expect(english.match(/```sh/g)).toHaveLength(1)
    expect(commandOf(english)).toBeDefined()
    expect(commandOf(chinese)).toBe(commandOf(english))
  })
})
