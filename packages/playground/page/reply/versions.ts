import { element, say } from '@callspec/report/page'
import type { VersionsReading } from '../../src/reading/reply-answer.ts'
import { itemList } from './item-list.ts'

/** What every version of the format says of the reply, side by side; those that say the same stand together. */
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
