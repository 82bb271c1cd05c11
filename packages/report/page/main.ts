import { readCaseData, startCases } from './cases.ts'
import { readPageData } from './data.ts'
import { startLanguages } from './languages.ts'
import { startViewer } from './viewer.ts'

startLanguages(document)
const data = readPageData(document)
if (data !== null) startViewer(document, data)
const cases = readCaseData(document)
if (cases !== null) startCases(document, cases)
