import { SPAN_KINDS } from '@callspec/eval'
import { dataBlock } from '../data-block.ts'
import { html } from '../html.ts'
import type { Html } from '../html.ts'
import { say } from '../words.ts'
import { createTextTable, episodeData } from './episode-data.ts'
import type { EvaluationReport } from './input.ts'

/** The episodes of the page: data for the script, which shows one at a time as a conversation. */
export function episodesSection({ episodes, left }: EvaluationReport): Html {
  const texts = createTextTable()
  const list = episodes.map((episode) => episodeData(episode, texts))
  return html`<section id="episodes">
    <h2>${say({ en: 'Episodes', zh: '运行过程' })}</h2>
    ${left.episodes > 0 && html`<p class="notice">${leftOut(left)}</p>`}
    <noscript
      ><p class="notice">
        ${say({ en: 'Conversations need the script of this page; the run folder has them in turns.jsonl.', zh: '查看对话需要启用脚本；运行目录中的 turns.jsonl 也包含全部内容。' })}
      </p></noscript
    >
    <div id="viewer"></div>
    ${dataBlock('episode-data', { kinds: SPAN_KINDS, texts: texts.all(), episodes: list })}
  </section>`
}

function leftOut({ episodes, file }: EvaluationReport['left']): Html {
  const words =
    file === null
      ? {
          en: '{count} more episodes are left out of this page, so that it opens quickly; all are in turns.jsonl.',
          zh: '为了快速打开，本页省略了 {count} 次运行；全部内容在 turns.jsonl 中。',
        }
      : {
          en: '{count} more episodes are left out of this page, so that it opens quickly; they are in {file}.',
          zh: '为了快速打开，本页省略了 {count} 次运行；它们在 {file} 中。',
        }
  return say(words, { count: episodes, file: html`<code>${file ?? ''}</code>` })
}
