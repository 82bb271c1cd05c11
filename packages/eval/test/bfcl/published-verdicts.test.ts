import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isDict, loads } from '@callspec/core'
import type { PyDict, PyValue } from '@callspec/core'
import { describe, expect, it } from 'vitest'
import { checkOutput } from '../../src/bfcl/check-output.ts'
import type { BfclQuestion, DecodedOutput } from '../../src/bfcl/check-output.ts'
import { decodeHermes } from '../../src/bfcl/decode-hermes.ts'
import { readFunctionDocs } from '../../src/bfcl/function-doc.ts'
import { isShownUnderscores } from '../../src/bfcl/underscore-models.ts'
import { readLines } from '../../src/offline/read-lines.ts'

const SAMPLE = fileURLToPath(new URL('../../../../../shared/data/bfcl_sample.jsonl.gz', import.meta.url))

/** Why a row is not judged: its handler's decoder is not ours, and the file does not hold what it made. */
const NOT_COVERED = { 'java or javascript, another handler': 379, 'not decodable, another handler': 69 }

describe.skipIf(!existsSync(SAMPLE))(
  'the published verdicts of BFCL, sample of 2 960 (skipped without ../shared)',
  () => {
    it('are ours, with the same error, in every row whose decoded output is known or made by us', async () => {
      const differences: string[] = []
      const notCovered = new Map<string, number>()
      let judged = 0
      for await (const line of readLines(SAMPLE)) {
        const row = rowOf(line)
        const output = outputOf(row)
        if (output === null) {
          const reason = text(row, 'bfcl_error_type') === '' ? 'java or javascript' : 'not decodable'
          notCovered.set(`${reason}, another handler`, (notCovered.get(`${reason}, another handler`) ?? 0) + 1)
          continue
        }
        judged += 1
        const verdict = checkOutput(output, questionOf(row))
        const published = row.get('bfcl_error_type') ?? null
        const ours = verdict.valid ? null : verdict.error
        if (ours !== published || verdict.valid !== row.get('bfcl_valid'))
          differences.push(`${text(row, 'model')} ${text(row, 'id')}: ${String(published)}, ours ${String(ours)}`)
      }

      expect(differences).toEqual([])
      expect(judged).toBe(2512)
      expect(Object.fromEntries(notCovered)).toEqual(NOT_COVERED)
    })
  },
)

function rowOf(line: string): PyDict {
  const read = loads(line)
  if (read.kind === 'raised' || !isDict(read.value)) throw new Error(`not a row: ${line.slice(0, 80)}`)
  return read.value
}

/** What the decoder made of the output; null when nobody knows. */
function outputOf(row: PyDict): DecodedOutput | null {
  const decoded = row.get('bfcl_decoded')
  if (decoded !== undefined)
    // A row whose decoding failed holds the raw text.
    return text(row, 'bfcl_error_type') === 'ast_decoder:decoder_failed'
      ? { kind: 'failed' }
      : { kind: 'decoded', value: decoded }
  if (text(row, 'format') !== 'hermes_tool_call_xml') return null
  return decodeHermes(text(row, 'raw_output'), { asText: text(row, 'category').includes('java') })
}

function questionOf(row: PyDict): BfclQuestion {
  const answers = row.get('possible_answer') ?? null
  return {
    category: text(row, 'category'),
    functions: readFunctionDocs(row.get('functions') ?? []),
    answers: isDict(answers) ? [...answers].map(([name, possible]) => ({ name, possible: dict(possible) })) : [],
    dotsAsUnderscores: isShownUnderscores(text(row, 'model')),
  }
}

function dict(value: PyValue): PyDict {
  return isDict(value) ? value : new Map<string, PyValue>()
}

function text(row: PyDict, key: string): string {
  const value = row.get(key)
  return typeof value === 'string' ? value : ''
}
