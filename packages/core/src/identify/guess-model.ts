import { KNOWN_MODELS, PARSER_NAMES, TEKKEN_FORMATS } from '../formats/served.ts'
import type { KnownModel, ParserNames } from '../formats/served.ts'

/** What a model's name says; a guess. */
export type ModelGuess = Omit<KnownModel, 'name'>

/** The formats that models of this name speak; null for a name that says nothing. */
export function guessModel(name: string): ModelGuess | null {
  const plain = name
    .slice(0, LONGEST_NAME)
    .toLowerCase()
    .split(/[\s_]+/)
    .join('-')
  const found = KNOWN_MODELS.find((each) => each.name.test(plain))
  if (found === undefined) return null
  const { name: _pattern, ...guess } = found
  return guess
}

/** Longer than any name of a model. */
const LONGEST_NAME = 500

/** Models that speak the format of others, or one that cannot be read here, by the titles that people know. */
export function modelAliases(): readonly (ModelGuess & { readonly title: string })[] {
  return KNOWN_MODELS.flatMap(({ name: _pattern, title, ...guess }) =>
    title === undefined ? [] : [{ ...guess, title }],
  )
}

/** What `--tool-call-parser` is called for a format, by engine; null where that is not known. */
export function parserNames(format: string): ParserNames | null {
  return Object.hasOwn(PARSER_NAMES, format) ? (PARSER_NAMES[format] ?? null) : null
}

/** The formats of a `version` in `tekken.json`; null for one that is not known. */
export function tekkenFormats(version: string): readonly string[] | null {
  return Object.hasOwn(TEKKEN_FORMATS, version) ? (TEKKEN_FORMATS[version] ?? null) : null
}
