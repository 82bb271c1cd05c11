import fc from 'fast-check'

import { markersOf } from '../language.ts'
import type { Language } from '../language.ts'
import type { Law } from '../law.ts'
import type { Plan, Sample } from '../sample.ts'
import type { About } from '../subject.ts'
import { foreignText } from './conversation.ts'
import { cutPlan, cutsFor } from './cuts.ts'
import type { CutPlan } from './cuts.ts'
import { plan } from './plan.ts'
import { changed, changes, markerSoup } from './texts.ts'
import { anyCharacters } from './words.ts'

/** How samples are made. */
export interface SampleOptions {
  /** Longer texts are cut to this many units, and lose their plan. Default: no limit. */
  readonly maxLength?: number
}

/** Samples of a kind of law. */
export function samplesFor(needs: Law['needs'], subject: About, options: SampleOptions = {}): fc.Arbitrary<Sample> {
  switch (needs) {
    case 'plan':
      return plannedSamples(subject.language, options)
    case 'record':
      return textSamples(fc.constantFrom(...subject.recorded.keys()), subject.language, options)
    default:
      return anySamples(subject.language, options)
  }
}

/** Every kind of text: soups, replies as they were planned, and near misses of them. */
export function anySamples(language: Language, options: SampleOptions = {}): fc.Arbitrary<Sample> {
  const nearMiss = fc
    .tuple(plan(language), changes(language))
    .map(([{ parts }, made]) => changed(textOf({ parts }), made))
  return fc.oneof(
    { weight: 4, arbitrary: textSamples(markerSoup(language), language, options) },
    { weight: 2, arbitrary: textSamples(nearMiss, language, options) },
    { weight: 4, arbitrary: plannedSamples(language, options) },
    { weight: 1, arbitrary: textSamples(anyCharacters({ maxLength: 40, surrogates: true }), language, options) },
  )
}

/** Replies with the plan that they were made from. */
export function plannedSamples(language: Language, options: SampleOptions = {}): fc.Arbitrary<Sample> {
  return fc
    .tuple(plan(language), cutPlan(), otherText(language))
    .map(([made, cuts, other]) => sampleOf({ text: textOf(made), plan: made, cuts, other }, options))
}

/** Texts of which only the characters are known: soups, a corpus, recorded texts. */
export function textSamples(
  text: fc.Arbitrary<string>,
  language: Language,
  options: SampleOptions = {},
): fc.Arbitrary<Sample> {
  return fc
    .tuple(text, cutPlan(), otherText(language))
    .map(([drawn, cuts, other]) => sampleOf({ text: drawn, plan: null, cuts, other }, options))
}

function otherText(language: Language): fc.Arbitrary<string> {
  return foreignText([...markersOf(language), ...language.stopWords])
}

interface DrawnSample {
  readonly text: string
  readonly plan: Plan | null
  readonly cuts: CutPlan
  readonly other: string
}

function sampleOf({ text, plan: made, cuts, other }: DrawnSample, { maxLength = Infinity }: SampleOptions): Sample {
  if (text.length <= maxLength) return { text, plan: made, cuts: cutsFor(text.length, cuts), other }
  return { text: text.slice(0, maxLength), plan: null, cuts: cutsFor(maxLength, cuts), other }
}

function textOf({ parts }: Plan): string {
  return parts.map((part) => part.text).join('')
}
