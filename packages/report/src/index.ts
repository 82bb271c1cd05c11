export { renderPage } from './shell.ts'
export type { PageParts } from './shell.ts'
export { PAGE_LANGUAGES } from './words.ts'
export type { PageLanguage } from './words.ts'
