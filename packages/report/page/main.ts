import { startLanguages } from './languages.ts'

startLanguages(document)
