// callspec.test.mjs: every strict case of one format is a test. It is green with a list of known failures: a new failure fails, and so does
// a listed case that passes, until its line is deleted. It needs the packages @callspec/vitest and @callspec/compat-data.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describeConformance } from '@callspec/vitest'
import { parse } from './parser.js' // (text, { tools }) => ({ content: 'Let me look.', calls: [{ name, arguments }] }); an Error refuses a text

const DATA = join(dirname(createRequire(import.meta.url).resolve('@callspec/compat-data/package.json')), 'data')

const format = process.env['CALLSPEC_FORMAT'] ?? 'nous'

/** Such as known/vllm@0.33.0/hermes+qwen3.nous.txt of the package; copy it next to this file to delete lines. */
const known = process.env['CALLSPEC_KNOWN']

describeConformance(
  { parse },
  {
    format,
    operations: ['parse'],
    cases: [join(DATA, 'cases', `${format}.jsonl`)],
    ...(known === undefined ? {} : { knownFailures: join(DATA, known) }),
  },
)
