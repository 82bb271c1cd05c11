import { baseName } from '../../src/python/base-name.ts'
import { respell, respellCall } from '../../src/python/respell.ts'
import { extractCode } from '../../src/python/code.ts'
import { dumps } from '../../src/python/dumps.ts'
import { fill } from '../../src/python/fill.ts'
import { loads } from '../../src/python/json-loads.ts'
import { loadsJson5 } from '../../src/python/json5-loads.ts'
import { loadsLenient } from '../../src/python/lenient-loads.ts'
import { repr } from '../../src/python/repr.ts'
import { lstrip, rstrip, strip } from '../../src/python/strip.ts'

/** Everything that reads a text of a model, or writes one. */
export const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  loads,
  loadsJson5,
  loadsLenient: (text) => loadsLenient(text, 'lenient'),
  fill: (text) => fill(text, {}),
  baseName,
  extractCode,
  respellCall,
  respell,
  repr,
  dumps,
  'strip of white space': (text) => strip(text),
  'strip of quotes': (text) => lstrip(rstrip(text, '\'"'), '"'),
}
