import { element, say } from '@callspec/report/page'
import { answersTo, enginesOf } from '../../src/engines/answers-to.ts'
import type { EngineQuestion } from '../../src/engines/answers-to.ts'
import type { EngineRecords } from '../../src/engines/engine-records.ts'
import { engineCard } from './engine-card.ts'
import type { EngineCard, LoadText } from './engine-card.ts'

/** The answers of engines to the text of the page, next to the readings of the page. */
export interface EnginePanel {
  readonly view: HTMLElement
  readonly show: (question: EngineQuestion) => void
}

/**
 * A card for each engine with answers for the format. Cards stay while the format does, with their open parts and the
 * focus.
 */
export function createEnginePanel(onLoad: LoadText): EnginePanel {
  const words = element('p', { class: 'quiet' })
  const grid = element('div', { class: 'answers engines' })
  const view = element('section', { 'aria-labelledby': 'engines-head', hidden: '' }, [
    element('h2', { id: 'engines-head' }, [say('Engines beside them', '引擎对照')]),
    words,
    grid,
  ])
  let cards: ReadonlyMap<number, EngineCard> = new Map()
  let shown = ''
  let records: EngineRecords | null = null
  return {
    view,
    show: (question) => {
      records ??= readRecords(document)
      if (records === null) return
      if (question.format !== shown) {
        shown = question.format
        cards = cardsOf(records, { format: shown, onLoad })
        grid.replaceChildren(...[...cards.values()].map((card) => card.view))
        words.replaceChildren(wordsOn(shown, cards.size))
      }
      const answers = answersTo(records, question)
      for (const [engine, card] of cards) card.show(answers.get(engine) ?? [], question)
      view.hidden = false
    },
  }
}

function cardsOf(
  records: EngineRecords,
  { format, onLoad }: { readonly format: string; readonly onLoad: LoadText },
): ReadonlyMap<number, EngineCard> {
  return new Map(
    enginesOf(records, format).flatMap((about) => {
      const engine = records.engines[about.engine]
      return engine === undefined ? [] : [[about.engine, engineCard({ engine, about, onLoad })] as const]
    }),
  )
}

function wordsOn(format: string, count: number): DocumentFragment {
  if (count === 0) return say(`No answer of an engine to ${format} is recorded.`, `没有引擎对 ${format} 的记录。`)
  return say(
    'The versions above are run in this page; engines are not. What they answered to exactly this text, where it was recorded; nothing is guessed.',
    '以上各版本在本页中运行；引擎则不是。这里只列出引擎对这段文本的已记录答案，绝不猜测。',
  )
}

/** The records are data in the page; they are read when they are needed. */
function readRecords(page: Document): EngineRecords | null {
  const block = page.getElementById('engine-records')
  return block === null ? null : (JSON.parse(block.textContent) as EngineRecords)
}
