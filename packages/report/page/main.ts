import { readCaseData, startCases } from './cases.ts'
import { startCopying } from './copy.ts'
import { startEpisodes } from './episodes/start.ts'
import { startLanguages } from './languages.ts'

startLanguages(document)
startEpisodes(document)
startCopying(document)
const cases = readCaseData(document)
if (cases !== null) startCases(document, cases)
