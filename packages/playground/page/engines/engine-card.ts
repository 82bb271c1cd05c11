import { button, element, say } from '@callspec/report/page'
import { asAsked } from '../../src/engines/answers-to.ts'
import type { EngineQuestion, EngineVerdict } from '../../src/engines/answers-to.ts'
import type { Deviation, EngineOfFormat } from '../../src/engines/deviations.ts'
import type { RecordedEngine, Setting } from '../../src/engines/engine-records.ts'
import { shortened } from '../parts/words.ts'
import { settingView } from './setting-view.ts'
import { reasonView, verdictView } from './verdict.ts'

/** Shows a text, set as it was asked. */
export type LoadText = (text: string, setting: Setting) => void

/** What is known of one engine. */
export interface EngineCard {
  readonly view: HTMLElement
  /** What it answered to the text of the page. */
  readonly show: (verdicts: readonly EngineVerdict[], question: EngineQuestion) => void
}

/** What a card is made of. */
export interface EngineCardParts {
  readonly engine: RecordedEngine
  readonly about: EngineOfFormat
  readonly onLoad: LoadText
}

/** So much of a text is shown in a list, in UTF-16 units. */
const MOST_TEXT = 300

/** A card with the name of an engine, its answer, and what it is known to read otherwise. */
export function engineCard({ engine, about, onLoad }: EngineCardParts): EngineCard {
  const answer = element('div', { class: 'engine-answer', 'aria-live': 'polite' })
  const { name, version } = engine
  return {
    view: element('section', { 'data-engine': `${name} ${version}` }, [
      element('h3', {}, [`${name} ${version}`]),
      element('p', { class: 'quiet' }, [whenAsked(engine), ' · ', countView(about)]),
      answer,
      deviationList(about, onLoad),
    ]),
    show: (verdicts, question) => {
      const isSame = asAsked(question)
      const ops = new Set(verdicts.map(({ setting }) => setting.op)).size
      const views = verdicts.flatMap((each) => {
        const view = verdictView(each, ops > 1)
        const ask = (): void => onLoad(question.text, each.setting)
        return isSame(each.setting) ? [view] : [view, settingView(each.setting, ask)]
      })
      answer.replaceChildren(...(views.length === 0 ? [notRecorded()] : views))
    },
  }
}

function whenAsked({ how, date }: RecordedEngine): DocumentFragment {
  if (how === 'asked') return say(`asked by callspec, ${date ?? ''}`, `由 callspec 询问，${date ?? ''}`)
  return date === null
    ? say('recorded, date not known', '已记录，日期未知')
    : say(`recorded, ${date}`, `已记录，${date}`)
}

function countView({ asked, judged }: EngineOfFormat): DocumentFragment {
  return judged === asked
    ? say(`${asked} texts`, `${asked} 段文本`)
    : say(`${asked} texts, ${judged} with one right answer`, `${asked} 段文本，其中 ${judged} 段有唯一答案`)
}

function notRecorded(): HTMLElement {
  return element('p', { class: 'verdict-line quiet' }, [say('– not recorded for this text', '– 没有这段文本的记录')])
}

function deviationList({ deviations }: EngineOfFormat, onLoad: LoadText): HTMLElement {
  if (deviations.length === 0)
    return element('p', { class: 'quiet' }, [say('No deviation is known.', '没有已知的差异。')])
  return element('details', {}, [
    element('summary', {}, [say(`Known deviations: ${deviations.length}`, `已知差异：${deviations.length} 种`)]),
    element(
      'ul',
      { class: 'deviations' },
      deviations.map((each) => deviationView(each, onLoad)),
    ),
  ])
}

function deviationView({ reason, count, text, setting }: Deviation, onLoad: LoadText): HTMLElement {
  return element('li', {}, [
    reasonView(reason),
    element('p', { class: 'quiet' }, [
      count === 1
        ? say('one text', '一段文本')
        : say(`${count} texts, the smallest of them`, `${count} 段文本，其中最短的一段`),
      setting.op === 'stream' ? say(', as a stream', '，以流的方式') : null,
      ' ',
      button(say('show it', '载入'), () => onLoad(text, setting)),
    ]),
    element('pre', { class: 'bytes' }, [shortened(text, MOST_TEXT)]),
  ])
}
