import { readCaseData, startCases } from './cases.ts'
import { startEpisodes } from './episodes/start.ts'
import { startLanguages } from './languages.ts'

startLanguages(document)
startEpisodes(document)
const cases = readCaseData(document)
if (cases !== null) startCases(document, cases)
