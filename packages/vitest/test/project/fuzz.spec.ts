import { formats } from '@callspec/core/qwen-agent'
import { fuzzParser } from '@callspec/vitest'
import { parse } from './parser.ts'

fuzzParser(formats.nous, { format: 'nous', laws: ['totality', 'split-invariance'], runs: 50 })
fuzzParser({ parse }, { format: 'nous', laws: ['think-isolation'], runs: 50 })
