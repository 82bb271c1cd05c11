import fc from 'fast-check'

import type { Language } from '../language.ts'
import type { Sample } from '../sample.ts'
import { textSamples } from './samples.ts'
import type { SampleOptions } from './samples.ts'
import { changed, changes } from './texts.ts'

/** Recorded texts of models, each as it is or with one or two changes that make it a near miss. At least one text. */
export function corpusSamples(
  texts: readonly string[],
  language: Language,
  options: SampleOptions = {},
): fc.Arbitrary<Sample> {
  const recorded = fc.constantFrom(...texts)
  const near = fc.tuple(recorded, changes(language)).map(([text, made]) => changed(text, made))
  return textSamples(fc.oneof({ weight: 1, arbitrary: recorded }, { weight: 3, arbitrary: near }), language, options)
}
