/** Where the built page is: one HTML file that asks for nothing. */
export const PLAYGROUND_PAGE: URL = new URL('../dist/playground.html', import.meta.url)
