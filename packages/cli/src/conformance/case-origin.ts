import type { Case, Provenance } from '@callspec/conformance'

/** What there is to say of where a case comes from, and of markers in its text that are no tokens: a title and a text each. */
export function caseOrigin({ provenance, plain = [] }: Pick<Case, 'provenance' | 'plain'>): readonly Remark[] {
  return [
    ...(provenance === undefined ? [] : [['source', provenanceText(provenance)] as const]),
    ...(plain.length === 0
      ? []
      : [['plain', `${plain.map((range) => range.join('–')).join(', ')}: markers there are no tokens`] as const]),
  ]
}

type Remark = readonly [title: string, text: string]

/** `template: models/x.jinja, revision 69d8e4b, MIT, sha256 95a231a15c8c976a`. */
function provenanceText({ kind, source, revision, licence, sha256 }: Provenance): string {
  const more = [revision && `revision ${revision}`, licence, sha256 && `sha256 ${sha256}`]
  return [`${kind.replace('-', ' ')}: ${source}`, ...more.filter((each) => each !== undefined)].join(', ')
}
