/* What tests of other packages use of core beyond its entry. */
export { KNOWN_MODELS } from '../../src/formats/known-models.ts'
