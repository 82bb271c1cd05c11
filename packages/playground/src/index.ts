/** The address of the built page: one HTML file that sends no requests. */
export const PLAYGROUND_PAGE: URL = new URL('../dist/playground.html', import.meta.url)
