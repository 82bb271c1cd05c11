// Writes the strict cases that are made by rule: replies put together of pieces whose meaning is known.
//
//   node packages/conformance/scripts/write-cases.mjs [--check]
//
// Cases that stand in the same files and were written by hand or recorded stay, and so do recorded answers. With --check nothing is written, and the exit
// code is 1 where a file is not as it should be. Needs a build.
import { filesOf, isCurrent, put } from './cases/case-files.mjs'
import { FORMAT_CASES } from './cases/every-format.mjs'
import { NAMED_TEMPLATE_CASES } from './cases/every-template.mjs'
import { PARSE_CASES } from './cases/nous-parse.mjs'
import { PROMPT_CASES } from './cases/every-prompt.mjs'
import { PROPERTY_CASES } from './cases/nous-properties.mjs'
import { STREAM_CASES } from './cases/nous-stream.mjs'
import { TEMPLATE_CASES } from './cases/nous-template.mjs'
import { VALUE_CASES } from './cases/nous-values.mjs'

const cases = [
  ...PARSE_CASES,
  ...VALUE_CASES,
  ...STREAM_CASES,
  ...PROPERTY_CASES,
  ...TEMPLATE_CASES,
  ...NAMED_TEMPLATE_CASES,
  ...FORMAT_CASES,
  ...PROMPT_CASES,
]
const stale = [...filesOf(cases)].filter(([path, text]) => !isCurrent(path, text))
if (process.argv.includes('--check')) {
  for (const [path] of stale) process.stdout.write(`${path} is not what write-cases.mjs makes\n`)
  process.exitCode = stale.length === 0 ? 0 : 1
} else {
  for (const [path, text] of stale) put(path, text)
  process.stdout.write(`${cases.length} cases, ${stale.length} files written\n`)
}
