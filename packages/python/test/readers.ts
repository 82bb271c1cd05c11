import { baseName } from '../src/base-name.ts'
import { respell, respellCall } from '../src/respell.ts'
import { extractCode } from '../src/code.ts'
import { dumps } from '../src/dumps.ts'
import { fill } from '../src/fill.ts'
import { loads } from '../src/json-loads.ts'
import { loadsJson5 } from '../src/json5-loads.ts'
import { loadsLenient } from '../src/lenient-loads.ts'
import { repr } from '../src/repr.ts'
import { lstrip, rstrip, strip } from '../src/strip.ts'

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
