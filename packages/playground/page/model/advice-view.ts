import { answersFor, likestFormat, promptedVersion } from '@callspec/inspect'
import { element, say } from '@callspec/report/page'
import type { Columns } from '../../src/columns.ts'
import { rowsOf } from '../../src/columns.ts'
import type { EngineAdviceRecord } from '../../src/engine-answers.ts'
import type { ShownModel } from '../../src/model-answer.ts'

/** What engines are known to make of the format of a model, and the flags that they need. */
export function enginesView({ format, versions, served }: ShownModel): readonly HTMLElement[] {
  const id = likestFormat({ format, versions })
  const version = id === undefined ? null : promptedVersion({ format, versions }, id)
  const records = answersFor(readAdvice(document), id ?? '', version)
  const own = served.find((each) => each.id === id)
  if (id === undefined || own === undefined)
    return [element('p', { class: 'quiet' }, [say('The format is unknown.', '格式未知。')])]
  return [
    element('p', {}, [
      element('strong', {}, [id]),
      ...[own.vllm, own.sglang].map((parsers, index) =>
        parsers.length === 0
          ? null
          : element('span', {}, [
              ` · ${index === 0 ? 'vLLM' : 'SGLang'} `,
              element('code', {}, [`--tool-call-parser ${parsers[0] ?? ''}`]),
            ]),
      ),
    ]),
    own.stops.length === 0
      ? null
      : element('p', { class: 'quiet' }, [
          say('stops: ', '结束符：'),
          ...own.stops.map((stop) => element('code', { class: 'stop' }, [stop])),
        ]),
    element('p', { class: 'quiet' }, [
      records.length === 0
        ? say('No answer of an engine to this format is recorded.', '没有引擎对该格式的记录。')
        : say(
            'Recorded answers to the strict cases; no engine runs in the page.',
            '对严格用例的已记录答案；本页不运行任何引擎。',
          ),
    ]),
    element('div', { class: 'answers engines' }, records.map(adviceCard)),
  ].filter((each) => each !== null)
}

function adviceCard({
  title,
  version,
  date,
  format,
  parser,
  flags,
  right,
  asked,
  topics,
  broken,
}: EngineAdviceRecord): HTMLElement {
  const listed = broken.map(([topic, count]) => `${topic} ${count}`).join(', ')
  const left = topics - broken.length
  return element('section', { 'data-engine': title }, [
    element('h3', {}, [`${title} ${version}`]),
    element('p', { class: 'quiet' }, [`${format} · ${parser} · ${date}`]),
    ...flags.map((flag) => element('p', {}, [element('code', {}, [flag])])),
    element('p', { class: 'verdict-line' }, [say(`${right} of ${asked} right`, `${asked} 个中 ${right} 个正确`)]),
    listed === ''
      ? null
      : element('p', {}, [
          say('wrong: ', '出错：'),
          listed,
          left === 0 ? null : say(` and ${left} more`, `，另有 ${left} 个主题`),
        ]),
  ])
}

function readAdvice(page: Document): readonly EngineAdviceRecord[] {
  const block = page.getElementById('engine-advice')
  return block === null ? [] : rowsOf(JSON.parse(block.textContent) as Columns<EngineAdviceRecord>)
}
