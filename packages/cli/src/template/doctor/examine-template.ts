import type { DoctorFinding } from '@callspec/eval'
import type { LintReport } from '@callspec/template/lint'
import { UsageError } from '../../usage-error.ts'
import { lintSource } from '../lint/lint-source.ts'
import { countText } from '../lint/print-lint.ts'
import { openServerAt } from '../source/open-server.ts'
import type { ServerAddress } from '../source/server-door.ts'
import type { TemplateSource } from '../source/template-source.ts'
import { countPieces } from './count-pieces.ts'
import type { CountedPiece } from './count-pieces.ts'

/**
 * What a server lets be seen of its chat template: the lint of the text or of the prompts, else what the numbers of tokens
 * tell. Never throws for what the server does.
 */
export async function examineTemplate(server: ServerAddress, model: string): Promise<DoctorFinding> {
  try {
    const source = await openServerAt(server, { name: null, wanted: model })
    if (source.kind === 'server' && source.server.view === 'token-counts')
      return judgeCounts(await countPieces(source.server))
    const { report, sha256 } = await lintSource(source, {})
    return judgeLint(report, { source, sha256 })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    // What the server said may hold anything; the other checks have quoted it already.
    return finding('unknown', 'neither /props nor /apply-template nor usage.prompt_tokens shows anything of it')
  }
}

function finding(verdict: DoctorFinding['verdict'], evidence: string, whatToChange?: string): DoctorFinding {
  return { check: 'chat-template', verdict, evidence, whatToChange: whatToChange ?? null }
}

const LOOK =
  'Look at each with `callspec template lint` and the address of this server; docs/templates.md has the rules.'

function judgeLint(
  { findings }: LintReport,
  { source, sha256 }: { readonly source: TemplateSource; readonly sha256: string | null },
): DoctorFinding {
  const which =
    sha256 === null ? 'by the prompts of /apply-template' : `sha256 ${sha256.slice(0, 12)}, ${placeOf(source)}`
  const names = findings.map(({ rule }) => rule).join(', ')
  const evidence = `${which}: ${countText(findings)}${names === '' ? '' : `: ${names}`}`
  if (findings.length === 0) return finding('ok', evidence)
  // The server may well change messages before it renders them, as docs/templates.md says of each rule.
  return finding('warn', evidence, LOOK)
}

function placeOf(source: TemplateSource): string {
  return source.kind === 'text' ? source.place : ''
}

function judgeCounts(pieces: readonly CountedPiece[]): DoctorFinding {
  const named = (fate: CountedPiece['fate']): readonly string[] =>
    pieces.filter((each) => each.fate === fate).map(({ name }) => name)
  const [shown, lost, refused] = [named('shown'), named('lost'), named('refused')]
  const parts = [
    ...(shown.length === 0 ? [] : [`counted: ${shown.join(', ')}`]),
    ...(lost.length === 0 ? [] : [`not counted: ${lost.join(', ')}`]),
    ...(refused.length === 0 ? [] : [`refused: ${refused.join(', ')}`]),
  ]
  if (parts.length === 0) return finding('unknown', 'the server counts no tokens of these conversations')
  const evidence = `by usage.prompt_tokens ${parts.join('; ')}`
  if (lost.length + refused.length === 0) return finding('ok', evidence)
  return finding('warn', evidence, 'What is not counted is not shown to the model: look at the template of the model.')
}
