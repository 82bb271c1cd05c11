/*
 * What other pages of the house are made of in the browser: elements of texts, in both languages.
 */
export { button, element, say } from './dom.ts'
export { startLanguages } from './dom.ts'
