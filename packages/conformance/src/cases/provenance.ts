import { InputError } from '@callspec/core'
import type { PyDict, PyValue } from '@callspec/python'
import { isDict, isList } from '@callspec/python'

/** What says that the answer of a case is the answer: a maker's template or program, a test of an engine, a report or a text. */
const PROVENANCE_KINDS = ['template', 'parser', 'engine-test', 'report', 'spec'] as const

export interface Provenance {
  readonly kind: (typeof PROVENANCE_KINDS)[number]
  /** A program, a file, or an address. */
  readonly source: string
  /** Version or commit of the source. */
  readonly revision?: string
  /** SPDX id or name of the licence of what was taken over. */
  readonly licence?: string
  /** Of the source's bytes, in hexadecimal digits: the whole sum, or its beginning. */
  readonly sha256?: string
}

/** A stretch of the text of an input, in characters as Python counts them. */
export type TextRange = readonly [start: number, end: number]

/**
 * Where a case says that it comes from; null where it says nothing.
 *
 * @throws InputError naming the place and the member that is wrong
 */
export function readProvenance(value: PyValue | undefined, where: string): Provenance | null {
  if (value === undefined) return null
  if (!isDict(value)) throw new InputError(where, `has a "provenance" that is not a map. ${PROVENANCE_FORM}`)
  const kind = PROVENANCE_KINDS.find((each) => each === value.get('kind'))
  if (kind === undefined)
    throw new InputError(where, `has no "provenance.kind" that is one of ${PROVENANCE_KINDS.join(', ')}.`)
  const source = provenanceMember(value, 'source', where)
  if (source === undefined) throw new InputError(where, `has no "provenance.source". ${PROVENANCE_FORM}`)
  const [revision, licence, sha256] = ['revision', 'licence', 'sha256'].map((key) =>
    provenanceMember(value, key, where),
  )
  if (sha256 !== undefined && !/^[0-9a-f]{8,64}$/.test(sha256))
    throw new InputError(where, 'has a "provenance.sha256" that is not 8 to 64 hexadecimal digits in lower case.')
  return {
    kind,
    source,
    ...(revision === undefined ? {} : { revision }),
    ...(licence === undefined ? {} : { licence }),
    ...(sha256 === undefined ? {} : { sha256 }),
  }
}

const PROVENANCE_FORM = 'It is a map with "kind" and "source", and perhaps "revision", "licence" and "sha256".'

function provenanceMember(value: PyDict, key: string, where: string): string | undefined {
  const member = value.get(key)
  if (member === undefined) return undefined
  if (typeof member === 'string' && member !== '') return member
  throw new InputError(where, `has a "provenance.${key}" that is not text.`)
}

/**
 * The stretches of the text in which a marker is no token of the model: it was written in pieces, as a value is.
 *
 * @throws InputError for what is no list of ranges, or a range that does not lie in the text after the one before it
 */
export function readPlain(value: PyValue | undefined, input: PyDict, where: string): readonly TextRange[] {
  if (value === undefined) return []
  if (!isList(value)) throw new InputError(where, `has a "plain" that is not a list. ${RANGES}`)
  const text = input.get('text')
  const length = typeof text === 'string' ? [...text].length : Infinity
  let last = 0
  return value.map((range, at): TextRange => {
    const [start, end, ...more] = isList(range) ? range : []
    if (typeof start !== 'bigint' || typeof end !== 'bigint' || more.length > 0)
      throw new InputError(where, `has a "plain[${at}]" that is not two whole numbers. ${RANGES}`)
    if (start < last || end <= start || end > length)
      throw new InputError(where, `has a "plain[${at}]" that is empty, overlaps the one before it, or leaves the text.`)
    last = Number(end)
    return [Number(start), last]
  })
}

const RANGES = 'It lists ranges [start, end] in characters of "input.text".'

/**
 * Where the answers of a golden file under a profile come from, as a case says it: the program that was asked, or the
 * document that they were written for. Null where the file does not say.
 */
export function goldenProvenance(golden: PyDict, profile: string): PyDict | null {
  const recorded = golden.get('recordedFrom')
  const versions = isDict(recorded) ? recorded.get('versions') : null
  const version = isDict(versions) ? (versions.get(profile) ?? versions.get(profile.replace(/^metagpt@/, ''))) : null
  if (isDict(recorded) && isDict(version)) {
    const commit = version.get('commit')
    const revision = [version.get('version'), commit === undefined ? undefined : `commit ${String(commit)}`]
    return new Map<string, PyValue>([
      ['kind', 'parser'],
      ['source', recorded.get('program') ?? null],
      ['revision', revision.filter((each) => typeof each === 'string').join(', ')],
    ])
  }
  const document = golden.get('writtenFor')
  return typeof document === 'string'
    ? new Map([
        ['kind', 'spec'],
        ['source', document],
      ])
    : null
}

/** The source of a case, and where markers in its text are ordinary characters: a title and a text each. */
export function caseOrigin({
  provenance,
  plain = [],
}: {
  readonly provenance?: Provenance
  readonly plain?: readonly TextRange[]
}): readonly (readonly [title: string, text: string])[] {
  return [
    ...(provenance === undefined ? [] : [['source', provenanceText(provenance)] as const]),
    ...(plain.length === 0
      ? []
      : [
          [
            'plain',
            `${plain.map((range) => range.join('–')).join(', ')}: markers there are ordinary characters`,
          ] as const,
        ]),
  ]
}

/** `template: models/x.jinja, revision 69d8e4b, MIT, sha256 95a231a15c8c976a`. */
function provenanceText({ kind, source, revision, licence, sha256 }: Provenance): string {
  const more = [revision && `revision ${revision}`, licence, sha256 && `sha256 ${sha256}`]
  return [`${kind.replace('-', ' ')}: ${source}`, ...more.filter((each) => each !== undefined)].join(', ')
}
