import { formats } from '@callspec/core/qwen-agent'
import type { FormatName, PromptFormat } from '@callspec/core/qwen-agent'
import { functionsImplementation, STRICT } from '@callspec/conformance'
import type { ConformanceFunctions } from '@callspec/conformance'
import { isLawId, LAWS, lawsNamed, parserSubject, programSubject, searchViolations } from '@callspec/fuzz'
import type { Finding, Law, LawId, Parser, RemoteSubject, Subject } from '@callspec/fuzz'
import { describe, it } from 'vitest'

/** What a parser is searched for. */
export interface FuzzSuite {
  /** The format of the texts: a built-in one by name, or a `PromptFormat` of your own with `render` and `parse`. */
  readonly format: FormatName | PromptFormat
  /** Default: all laws that the parser can be asked about; docs/laws.md has them. */
  readonly laws?: readonly LawId[]
  /** Texts per law. Default 300. */
  readonly runs?: number
  /** Default 0: the same texts in every run. */
  readonly seed?: number
}

/**
 * Declares one test per law, which fails with the smallest text that breaks it. The parser is either functions in the form of
 * `docs/protocol.md` (`parse`, `stream`, `stop`), or one whose `parse` gives an outcome as the formats of `@callspec/core` do.
 */
export function fuzzParser(parser: ConformanceFunctions | Parser, suite: FuzzSuite): void {
  const format = typeof suite.format === 'string' ? formats[suite.format] : suite.format
  const unknown = suite.laws?.map(String).find((name) => !isLawId(name))
  if (unknown !== undefined) throw new TypeError(`fuzzParser: there is no law "${unknown}". docs/laws.md has them.`)
  const subject = subjectOf(parser, format)
  const laws = (suite.laws === undefined ? LAWS : lawsNamed(suite.laws)).filter((law) => law.applies(subject))
  describe(`laws: ${format.id}`, () => {
    for (const law of laws) {
      it(`${law.id}: ${law.statement}`, async () => {
        const finding = await search(subject, law, suite)
        if (finding !== null) throw new Error(findingText(finding))
      })
    }
  })
}

async function search(
  subject: Subject | RemoteSubject,
  law: Law,
  { runs = 300, seed = 0 }: FuzzSuite,
): Promise<Finding | null> {
  const options = { laws: [law], runs, seed }
  const { findings } = await searchViolations(subject, options)
  return findings[0] ?? null
}

function subjectOf(parser: ConformanceFunctions | Parser, format: PromptFormat): Subject | RemoteSubject {
  if (givesOutcomes(parser)) return parserSubject(parser, { format, name: 'the parser' })
  const implementation = functionsImplementation(parser, {
    name: 'the parser',
    version: '0',
    formats: [format.id],
    profiles: [STRICT],
  })
  const offers = (['parse', 'stream', 'stop'] as const).filter((op) => parser[op] !== undefined)
  if (!offers.includes('parse')) throw new TypeError('fuzzParser: the parser has no "parse".')
  let asked = 0
  return programSubject({
    name: 'the parser',
    format,
    offers,
    ask: async (op, input) => {
      asked += 1
      return implementation.answer({ id: `fuzz-${asked}`, op, format: format.id, profile: STRICT, input })
    },
  })
}

/** Finds out by the answer to an empty text which of the two forms it is. */
function givesOutcomes(parser: ConformanceFunctions | Parser): parser is Parser {
  try {
    const answer: unknown = (parser as Parser).parse('')
    return typeof answer === 'object' && answer !== null && 'kind' in answer
  } catch {
    return false
  }
}

function findingText({ law, breach, text, chunks, expected, got, seed, path }: Finding): string {
  return [
    `the parser breaks ${law}: ${breach}`,
    `  input     ${JSON.stringify(text)}`,
    ...(chunks.length > 1 ? [`  chunks    ${JSON.stringify(chunks)}`] : []),
    `  expected  ${expected}`,
    `  got       ${got}`,
    `  seed ${seed}, path ${path}`,
  ].join('\n')
}
