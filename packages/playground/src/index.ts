import { EMPTY_STATE, writeLink } from './state.ts'

/** The address of the built page: one HTML file that sends no requests. */
export const PLAYGROUND_PAGE: URL = new URL('../dist/playground.html', import.meta.url)

const FORBIDS = "default-src 'none';"

/**
 * The page as it is served: it may connect, which it does only after a button is pressed, to the address that it shows. A page that lies in a
 * file may not.
 *
 * @param html the built page
 */
export function servedPage(html: string): string {
  const allows = `${FORBIDS} connect-src https: http://127.0.0.1:* http://localhost:*;`
  return html.replace(FORBIDS, () => allows).replace('<html ', () => '<html data-connects ')
}

/** The hash that opens the page at the side of prompts with these tools. */
export function linkWithTools(tools: readonly object[]): Promise<string> {
  return writeLink({ ...EMPTY_STATE, panel: 'prompt', tools: JSON.stringify(tools, null, 2) })
}
