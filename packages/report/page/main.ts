import { readCaseData, startCases } from './cases.ts'
import { startCopying, startLanguages, startMoreRows } from './dom.ts'
import { startEpisodes } from './episodes/viewer.ts'
import { startLive } from './live.ts'

startLanguages(document)
startEpisodes(document)
startCopying(document)
startMoreRows(document)
startLive(document)
const cases = readCaseData(document)
if (cases !== null) startCases(document, cases)
