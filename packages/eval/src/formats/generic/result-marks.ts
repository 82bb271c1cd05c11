import { promptFrame } from '@callspec/core'
import type { Format } from '@callspec/core'

/** What a host writes round results and behind them, as far as a model would have to write it. */
export interface ResultMarks {
  /** What stands before a result; empty where nothing does that has a form of its own. */
  readonly open: string
  readonly close: string
  /** Whether the mark counts only at the beginning of a line. */
  readonly isLine: boolean
}

/** The marks that the prompts of a format put round results. */
export function resultMarks(format: Format): ResultMarks {
  const frame = promptFrame(format)
  if (frame === null) return { open: '', close: '', isLine: false }
  const { markers, stops } = format
  const behindTurn = (text: string): string => stops.end.reduce((rest, mark) => rest.split(mark).at(-1) ?? '', text)
  const ended = behindTurn(withoutTail(format, frame.beforeResult[0] ?? ''))
  const begun = behindTurn(frame.beforeQuestion)
  const own = begun.trim() !== '' && ended.startsWith(begun) ? ended.slice(begun.length) : ended
  const open = own.replace(/^[^<[\s]+(?=\s)/, '').trim()
  const close = (frame.afterResult.at(-1) ?? '').trim()
  const known = [...markers.others, ...stops.words]
  const isPart = known.some((marker) => marker.length > close.length && marker.trim().startsWith(close))
  return {
    open,
    // Where replies are messages, they end as results do.
    close: markers.head !== undefined || stops.end.includes(close) || isPart ? '' : close,
    isLine: markers.others.includes(`\n${open}`),
  }
}

/** Without what stands behind the arguments of the call before. */
function withoutTail(format: Format, text: string): string {
  const written = format.write([{ kind: 'call', name: 'probe', arguments: '{"a": "probe text"}', id: null }])
  const tail = written.slice(written.indexOf('probe text') + 'probe text'.length)
  const known = [tail, tail.replace(/^"/, '')].find((each) => each !== '' && text.startsWith(each))
  return known === undefined ? text : text.slice(known.length)
}

/** Those of some marks that no prose has. */
export function signsAmong(marks: readonly string[]): readonly string[] {
  return [...new Set(marks)].filter((mark) => mark.length > 2 && /[^\w\s:]/u.test(mark))
}
