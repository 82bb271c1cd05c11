import { trusted } from './html.ts'
import type { Html } from './html.ts'

/**
 * Data for the page's script, as a block that no browser runs. `<` is written as `\u003c`, so that no text in it can end the
 * block or begin a comment; lone surrogates as escapes, so that the file is UTF-8.
 */
export function dataBlock(id: string, data: unknown): Html {
  return trusted(`<script type="application/json" id="${id}">${inertJson(data)}</script>`)
}

/** JSON that may stand in a script element. */
function inertJson(data: unknown): string {
  // JSON.stringify writes lone surrogates as escapes by itself.
  return JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (sign) => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
