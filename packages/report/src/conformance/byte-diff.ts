import { html } from '../html.ts'
import type { Html } from '../html.ts'

/** So many bytes stand in a row, and so many rows are shown round the first difference. */
const [ROW, ROWS] = [16, 12]

/**
 * Two texts as UTF-8 side by side, from a little before the first byte that differs: hexadecimal and as characters, with the
 * bytes that differ marked. Null where they are the same.
 */
export function byteDiff(expected: string, got: string): Html | null {
  const encoder = new TextEncoder()
  const [left, right] = [encoder.encode(expected), encoder.encode(got)]
  const first = firstDifference(left, right)
  if (first === null) return null
  const start = Math.max(0, Math.floor(first / ROW) - 2) * ROW
  const end = Math.min(Math.max(left.length, right.length), start + ROW * ROWS)
  const rows: Html[] = []
  for (let at = start; at < end; at += ROW)
    rows.push(
      html`<tr>
        <th scope="row">${at.toString(16).padStart(6, '0')}</th>
        <td class="text"><code>${half(left, right, at)}</code></td>
        <td class="text"><code>${half(right, left, at)}</code></td>
      </tr> `,
    )
  const more = Math.max(left.length, right.length) - end
  return html`<table class="bytes-diff">
      <caption>
        ${`first difference at byte ${first}: ${byteText(left[first])} expected, ${byteText(right[first])} found`}
      </caption>
      <thead>
        <tr>
          <th scope="col">byte</th>
          <th scope="col" class="text">expected</th>
          <th scope="col" class="text">got</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
    ${more > 0 && html`<p class="quiet">… ${more}</p>`}`
}

function firstDifference(left: Uint8Array, right: Uint8Array): number | null {
  const length = Math.max(left.length, right.length)
  for (let at = 0; at < length; at += 1) if (left[at] !== right[at]) return at
  return null
}

function half(own: Uint8Array, other: Uint8Array, from: number): readonly Html[] {
  const cells: Html[] = []
  for (let at = from; at < from + ROW; at += 1) {
    const byte = own[at]
    const text = byte === undefined ? '  ' : byte.toString(16).padStart(2, '0')
    cells.push(byte === other[at] ? html`${text} ` : html`<mark>${text}</mark> `)
  }
  const characters = [...own.subarray(from, from + ROW)].map((byte) =>
    byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : byte === 0x0a ? '⏎' : '·',
  )
  return [...cells, html` ${characters.join('')}`]
}

function byteText(byte: number | undefined): string {
  return byte === undefined ? 'the end' : `0x${byte.toString(16).toUpperCase().padStart(2, '0')}`
}
