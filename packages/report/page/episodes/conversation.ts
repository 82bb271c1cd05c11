import type { TurnData } from '../../src/evaluation/episode-data.ts'
import type { EpisodeIndex } from '../../src/evaluation/episode-index.ts'
import { element, say } from '../dom.ts'
import { textView } from '../text-view.ts'
import { issueList } from './issue-list.ts'
import type { OpenEpisode } from './open-episode.ts'
import { namedRow } from './named-row.ts'
import { blameLine, labelName } from './names.ts'
import { parsedReply } from './parsed-reply.ts'
import { promptView } from './prompt-view.ts'
import { timeLine } from './time-line.ts'

/** An episode as a conversation: what was asked, what came back as it was read, what tools gave, and who is to blame. */
export function conversation(at: number, { data, texts }: OpenEpisode, index: EpisodeIndex): HTMLElement {
  const { model, protocol, task, sample, end, isSolved } = namedRow(at, index)
  const names = [task, model, protocol]
  return element('article', { class: 'conversation', 'aria-label': names.join(' ') }, [
    element('h3', { tabindex: '-1' }, [`${names.join(' · ')} · seed ${sample}`]),
    element('p', {}, [
      element('strong', { class: isSolved ? 'good' : 'bad', title: end }, [
        isSolved ? '✓ ' : '✗ ',
        labelName(end, index.names.ends),
      ]),
      ...data.reasons.flatMap(({ en, zh }, at) => [at === 0 ? ' — ' : '; ', say(en, zh)]),
      data.error !== null && ` — ${data.error}`,
    ]),
    blameLine(data.blame, index),
    element('div', { class: 'question' }, [
      element('p', { class: 'role' }, [say('user', '用户')]),
      textView(texts[data.question] ?? ''),
    ]),
    ...data.turns.map((turn, number) => turnView(turn, number, { data, texts }, index)),
  ])
}

function turnView(turn: TurnData, number: number, episode: OpenEpisode, index: EpisodeIndex): HTMLElement {
  const { texts } = episode
  const text = texts[turn.text] ?? ''
  const parts = turn.spans.map(([kind, start, end]) => ({ kind: index.kinds[kind] ?? 'text', start, end }))
  const isOnceFaulty = turn.blame !== null && turn.blame.join(' ') !== episode.data.blame?.join(' ')
  return element('section', { class: 'turn' }, [
    element('h4', {}, [
      say(`Reply ${number + 1}: `, `回复 ${number + 1}：`),
      element('span', { title: turn.strict }, [labelName(turn.strict, index.names.turns)]),
      turn.lenient !== turn.strict && ' → ',
      turn.lenient !== turn.strict && labelName(turn.lenient, index.names.turns),
      turn.notes.length > 0 &&
        element(
          'span',
          { class: 'quiet' },
          turn.notes.flatMap(({ en, zh }, at) => [at === 0 ? ' ' : ', ', say(en, zh)]),
        ),
    ]),
    isOnceFaulty ? blameLine(turn.blame, index) : null,
    turn.failure === null ? null : element('p', { class: 'bad' }, [turn.failure]),
    ...parsedReply(turn, texts, index),
    element('details', { class: 'raw' }, [
      element('summary', {}, [say('The reply as it came', '原始回复')]),
      textView(text, parts),
      issueList(turn, text),
      timeLine(turn.chunks),
      element('p', { class: 'quiet facts', lang: 'en-GB' }, [turn.facts.join(' · ')]),
    ]),
    promptView(turn, number, episode),
  ])
}
