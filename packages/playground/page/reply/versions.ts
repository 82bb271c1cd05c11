import { button, element, say } from '@callspec/report/page'
import type { ReplyAnswer, VersionsReading } from '../../src/reading/reply-answer.ts'
import { itemList } from './marked-text.ts'

/** The reading of every version of the format, side by side; equal ones are shown once. */
export function versionsView(format: string, readings: readonly VersionsReading[]): HTMLElement {
  const count = readings.flatMap(({ versions }) => versions).length
  return element('section', { 'aria-labelledby': 'versions-head' }, [
    element('h2', { id: 'versions-head' }, [say('Versions beside each other', '各版本对照')]),
    element('p', { class: 'quiet' }, [
      readings.length > 1
        ? say(
            `The ${count} versions of ${format} say ${readings.length} different things.`,
            `${format} 的 ${count} 个版本给出 ${readings.length} 种不同结果。`,
          )
        : count === 1
          ? say(`${format} has one version that reads.`, `${format} 只有一个可读取的版本。`)
          : say(`All ${count} versions of ${format} say the same.`, `${format} 的 ${count} 个版本结果相同。`),
    ]),
    element(
      'div',
      { class: 'answers' },
      readings.map(({ versions, reply }) =>
        element('section', {}, [element('h3', {}, [versions.join(', ')]), itemList(reply)]),
      ),
    ),
  ])
}

/** Which format the reply is in, how every other one reads it, and what engines call the parser of the one shown. */
export function rankingView(answer: ReplyAnswer, onFormat: (id: string) => void): HTMLElement {
  const { identified, parsers, format } = answer
  const { ranking } = identified
  const fitting = ranking.filter(({ score, why }) => score > 0 || why !== ranking.at(-1)?.why)
  const others = ranking.length - fitting.length
  return element('div', { class: 'identified' }, [
    element('p', {}, answerView(identified)),
    enginesView(format, parsers),
    element('details', {}, [
      element('summary', {}, [say('How every format reads it', '各格式如何读取')]),
      element('table', {}, [
        element(
          'tbody',
          {},
          fitting.map(({ format: id, score, why }) =>
            element('tr', {}, [
              element('th', { scope: 'row' }, [
                button(id, () => onFormat(id), { 'aria-pressed': String(id === format) }),
              ]),
              element('td', {}, [score.toFixed(2)]),
              element('td', { class: 'text', lang: 'en-GB' }, [why]),
            ]),
          ),
        ),
      ]),
      element('p', { class: 'quiet' }, [say(`${others} others find no call.`, `另有 ${others} 种格式没有读到调用。`)]),
    ]),
  ])
}

/** The format; of a call that none reads, the one that is meant, with its fault; of a text without a call, whose markers it holds. */
function answerView({ formats, broken, stray }: ReplyAnswer['identified']): readonly (Node | string)[] {
  if (formats.length > 0) return [say('The reply is in ', '回复的格式：'), ...strongList(formats)]
  if (broken !== null)
    return [
      ...strongList(broken.formats),
      say(', but the call is broken: ', '，但调用有错误：'),
      element('span', { lang: 'en-GB' }, [broken.why]),
    ]
  const none = say('no call in any of the formats', '任何格式都没有读到调用')
  if (stray === null) return [none]
  const markers = stray.markers.flatMap((marker, index) => [index === 0 ? '' : ', ', element('code', {}, [marker])])
  return [none, say(', but markers of ', '，但有以下格式的标记：'), ...strongList(stray.formats), ' (', ...markers, ')']
}

function strongList(ids: readonly string[]): readonly (Node | string)[] {
  return ids.flatMap((id, index) => [index === 0 ? '' : ', ', element('strong', {}, [id])])
}

function enginesView(format: string, parsers: ReplyAnswer['parsers']): HTMLElement | null {
  const engines = parsers === null ? [] : Object.entries({ ...parsers }).filter(([, names]) => names.length > 0)
  if (engines.length === 0) return null
  return element('p', { class: 'quiet' }, [
    say(`Parsers of ${format} in engines: `, `引擎中 ${format} 的解析器：`),
    engines.map(([engine, names]) => `${engine} ${names.join(', ')}`).join('; '),
  ])
}
