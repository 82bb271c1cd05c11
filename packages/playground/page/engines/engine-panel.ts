import { element, say, button } from '@callspec/report/page'
import type {
  EngineQuestion,
  EngineRecords,
  Deviation,
  EngineOfFormat,
  EngineVerdict,
  EngineAnswer,
  PackedRecords,
  Reason,
  RecordedEngine,
  Setting,
} from '../../src/engine-answers.ts'
import { rowsOf } from '../../src/columns.ts'
import { answersTo, enginesOf, asAsked } from '../../src/engine-answers.ts'
import type { ReplyItem } from '@callspec/core'
import { shortened } from '../parts.ts'
import { itemList } from '../reply/marked-text.ts'

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
  if (block === null) return null
  const { rows, ...lists } = JSON.parse(block.textContent) as PackedRecords
  return { ...lists, rows: rowsOf(rows) }
}

/** Shows a text with the settings that it was sent with. */
export type LoadText = (text: string, setting: Setting) => void

export interface EngineCard {
  readonly view: HTMLElement
  /** Its answer to the text of the page. */
  readonly show: (verdicts: readonly EngineVerdict[], question: EngineQuestion) => void
}

interface EngineCardParts {
  readonly engine: RecordedEngine
  readonly about: EngineOfFormat
  readonly onLoad: LoadText
}

/** How much of a text is shown in a list, in UTF-16 units. */
const MOST_TEXT = 300

/** A card with the name of an engine, its answer, and its known deviations. */
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

/** So much of the tools is shown, in UTF-16 units. */
const MOST_TOOLS = 300

/** The settings that an engine received a text with, if they differ from the page's; a button applies them here. */
function settingView({ tools, thoughtInContent, parallelCalls }: Setting, onAsk: () => void): HTMLElement {
  return element('p', { class: 'quiet' }, [
    say('Asked in another way: ', '当时的询问方式不同：'),
    tools === null ? say('without tools', '没有工具') : say('with the tools ', '使用工具 '),
    tools === null ? null : element('code', {}, [shortened(signatures(tools), MOST_TOOLS)]),
    thoughtInContent ? say(', inside a thought', '，已开始思考') : null,
    parallelCalls ? say(', all calls counted', '，计入全部调用') : null,
    ' ',
    button(say('ask so here', '在此照做'), onAsk),
  ])
}

interface Tool {
  readonly name?: unknown
  readonly function?: Tool
  readonly parameters?: { readonly properties?: Readonly<Record<string, { readonly type?: unknown }>> }
}

/** `put(x: string|null)`: types decide how values that are written as text are read. */
function signatures(tools: string): string {
  return (JSON.parse(tools) as readonly Tool[])
    .map((tool) => {
      const { name, parameters } = tool.function ?? tool
      const given = Object.entries(parameters?.properties ?? {})
      return `${String(name ?? '')}(${given.map(([key, { type }]) => `${key}${jsonTypeText(type)}`).join(', ')})`
    })
    .join(', ')
}

function jsonTypeText(type: unknown): string {
  if (type === undefined) return ''
  return `: ${Array.isArray(type) ? type.join('|') : String(type)}`
}

/** An engine's answer to a text; if it was also sent as a stream, which of both. */
function verdictView(verdict: EngineVerdict, hasStreams: boolean): HTMLElement {
  const { setting } = verdict
  const op = !hasStreams
    ? null
    : setting.op === 'stream'
      ? say(' (as a stream)', '（流式）')
      : say(' (whole)', '（整段）')
  if (verdict.kind === 'alike')
    return element('p', { class: 'verdict-line' }, [
      element('span', { class: 'good' }, ['✓ ']),
      setting.isOpen
        ? say('recorded: reads it in one of the right ways', '已记录：是正确读法之一')
        : say('recorded: reads it so, as strict does', '已记录：读法与 strict 相同'),
      op,
    ])
  const { reason, answer } = verdict
  const said = answer === null ? notKept() : answerView(answer)
  if (reason === null)
    return element('div', {}, [
      element('p', { class: 'verdict-line' }, [
        say('○ recorded: there is no single right answer; it says', '○ 已记录：没有唯一正确的答案；它的回答是'),
        op,
      ]),
      said,
    ])
  return element('div', {}, [
    element('p', { class: 'verdict-line' }, [
      element('span', { class: 'bad' }, ['✗ ']),
      say('recorded: differs', '已记录：不同'),
      op,
    ]),
    reasonView(reason),
    said,
  ])
}

/** The description of a deviation, and its reports. */
function reasonView([kind, words, links]: Reason): HTMLElement {
  return element('p', { class: 'reason' }, [
    element('strong', {}, [kindWords(kind)]),
    ' ',
    element('span', { lang: 'en-GB' }, [words]),
    ...links.flatMap((link) => [' ', linkTo(link)]),
  ])
}

function kindWords(kind: string): DocumentFragment {
  return say(kind, KIND_TEXTS[kind] ?? kind)
}

const KIND_TEXTS: Readonly<Record<string, string>> = {
  bug: '缺陷',
  policy: '有意为之',
  contested: '有争议',
  'not written by a model': '模型不会这样写',
  'not asked': '未测试',
  unverified: '未核实',
}

/** `ggml-org/llama.cpp/issues/27733` says enough. */
function linkTo(link: string): HTMLElement {
  return element('a', { href: link, rel: 'noreferrer' }, [link.replace(/^https?:\/\/(?:github\.com\/)?/, '')])
}

function notKept(): HTMLElement {
  return element('p', { class: 'quiet' }, [say('What it answered was not kept.', '它的回答没有保存。')])
}

function answerView(answer: EngineAnswer): HTMLElement {
  if ('refused' in answer)
    return element('p', {}, [
      say('The whole reply is an error', '整个回复成为错误'),
      answer.refused === '' ? '.' : element('span', { lang: 'en-GB' }, [`: ${answer.refused}`]),
    ])
  const { reasoning, content, calls } = answer
  const items: readonly ReplyItem[] = [
    ...(reasoning === undefined ? [] : [{ kind: 'reasoning', text: reasoning } as const]),
    ...(content === undefined ? [] : [{ kind: 'text', text: content } as const]),
    ...calls.map(([name, args, id = null]) => ({ kind: 'call', name, arguments: args, id }) as const),
  ]
  return itemList({ items, error: null })
}
