import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { nous } from '@callspec/core/qwen-agent'
import { expect, it } from 'vitest'

import { findViolation, parserSubject } from '../src/index.ts'
import { REPOSITORY } from './helpers/recorded.ts'

const README = readFileSync(resolve(REPOSITORY, 'packages/fuzz/README.md'), 'utf8')

it('the example of the README finds what it says', async () => {
  const parser = { parse: (text: string) => nous.parse(text.slice(0, text.lastIndexOf('>') + 1)) }
  const subject = parserSubject(parser, { format: nous })

  const finding = await findViolation(subject, { runs: 500, seed: 1 })

  const printed = [finding?.law, JSON.stringify(finding?.chunks), finding?.seed, finding?.path].join(' ')
  expect(README).toContain('const parser = { parse: (text: string) => nous.parse(text.slice(0, text.lastIndexOf(')
  expect(README).toContain(`prints \`${printed}\``)
})
