import { html, trusted } from '../html.ts'
import type { Html } from '../html.ts'

/** So much of a text is shown; the case that can be copied has all of it. */
const LONGEST = 4000

/** A text with its white space drawn: `·` for a blank, `→` for a tab, `⏎` where a line ends. Copying it copies the text. */
export function visibleText(text: string): Html {
  const shown = text.slice(0, LONGEST)
  const pieces = shown.split(/( +|\t|\r?\n)/).map((piece) => drawn(piece))
  return html`<pre class="bytes show-space" tabindex="0">
${pieces}${text.length > LONGEST && html`<span class="quiet">… ${text.length}</span>`}</pre>`
}

function drawn(piece: string): Html | string {
  if (/^ +$/.test(piece)) return html`<span class="ws" data-sign="${'·'.repeat(piece.length)}">${piece}</span>`
  if (piece === '\t') return html`<span class="ws" data-sign="→">${piece}</span>`
  if (piece === '\n') return html`<span class="ws-end"></span>${LINE}`
  if (piece === '\r\n') return html`<span class="ws-end ws-cr"></span>${LINE}`
  return piece
}

const LINE = trusted('\n')
