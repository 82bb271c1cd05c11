import { html, joined, trusted } from '../html.ts'
import type { Html } from '../html.ts'
import { say } from '../words.ts'
import type { PackedEpisodes } from './input.ts'

/** What a page holds by itself, in characters; beyond this, blocks stand beside it. */
const MOST_INSIDE = 30_000_000

/** The episodes of the page: packed data for the script, which unpacks what is opened. */
export interface EpisodesPart {
  readonly section: Html
  /** The blocks, behind the script: they may take a while to arrive. */
  readonly blocks: Html
  readonly files: ReadonlyMap<string, string>
}

/** The section, and its blocks: inside of the page, or in files beside it that work without a server. */
export function episodesPart({ count, index, blocks }: PackedEpisodes, mostInside: number = MOST_INSIDE): EpisodesPart {
  const isInside = blocks.reduce((sum, { length }) => sum + length, index.length) <= mostInside
  const files = new Map(
    isInside ? [] : blocks.map((block, at) => [`report-data/${at}.js`, `callspecBlock(${at},"${block}")\n`]),
  )
  const section = html`<section id="episodes">
    <h2>${say({ en: 'Episodes', zh: '运行过程' })} <small class="quiet">${count}</small></h2>
    <noscript
      ><p class="notice">
        ${say({ en: 'Conversations need the script of this page; the run folder has them in turns.jsonl.', zh: '查看对话需要启用脚本；运行目录中的 turns.jsonl 也包含全部内容。' })}
      </p></noscript
    >
    <div id="viewer"></div>
  </section>`
  const inside = [
    packedBlock('episode-index', index),
    ...(isInside ? blocks : []).map((block, at) => packedBlock(`episode-block-${at}`, block)),
  ]
  return { section, blocks: joined(inside, '\n'), files }
}

/** Base64 holds no sign that HTML reads as markup. */
function packedBlock(id: string, data: string): Html {
  return trusted(`<script type="text/plain" id="${id}">${data}</script>`)
}
