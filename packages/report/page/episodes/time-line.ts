import { element, say } from '../dom.ts'

/** When how much of a streamed reply came, as a line of dots; a table of the same for those who cannot see it. */
export function timeLine(chunks: readonly (readonly [number, number])[]): HTMLElement | null {
  const last = chunks.at(-1)
  if (last === undefined || chunks.length < 2) return null
  const [total, units] = last
  const line = element('span', {
    class: 'time-line',
    role: 'img',
    'aria-label': `${chunks.length} chunks, ${total} ms`,
  })
  for (const [ms, at] of chunks) {
    const dot = element('span', { class: 'dot', title: `${ms} ms: ${at} / ${units}` })
    dot.style.left = `${total === 0 ? 0 : (100 * ms) / total}%`
    line.append(dot)
  }
  const rows = chunks.map(([ms, at]) =>
    element('tr', {}, [element('td', {}, [String(ms)]), element('td', {}, [String(at)])]),
  )
  const head = element('tr', {}, [
    element('th', { scope: 'col' }, ['ms']),
    element('th', { scope: 'col' }, [say('characters so far', '累计字符')]),
  ])
  return element('details', { class: 'chunks' }, [
    element('summary', {}, [
      say(`${chunks.length} chunks in ${total} ms `, `${chunks.length} 个分块，${total} 毫秒 `),
      line,
    ]),
    element('table', {}, [head, ...rows]),
  ])
}
