import { EMPTY_STATE, writeLink } from './state.ts'

/** The address of the built page: one HTML file that sends no requests. */
export const PLAYGROUND_PAGE: URL = new URL('../dist/playground.html', import.meta.url)

/** The hash that opens the page at the side of prompts with these tools. */
export function linkWithTools(tools: readonly object[]): Promise<string> {
  return writeLink({ ...EMPTY_STATE, panel: 'prompt', tools: JSON.stringify(tools, null, 2) })
}
