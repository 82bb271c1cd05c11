import type {
  DoctorFinding,
  ForcedVerdict,
  ProbedTool,
  SchemaAnswer,
  SchemaQuestion,
  ServerVerdict,
} from '@callspec/eval/doctor'
import { PLAIN_PROBE, probeSchemas, SCHEMA_PROBES } from '@callspec/eval/doctor'
import { bounded } from '@callspec/eval/guards'
import { misfit } from '@callspec/grammar'
import type { Output } from '../output.ts'
import { quotedLine } from '../output.ts'
import { workProgress } from '../work-progress.ts'
import type { ListedTool } from '../tool-list.ts'
import type { TemplateAnswer, TemplateSide } from './template-side.ts'

/** What became of one tool on its three ways; null where a way was not examined. */
export interface SchemaRow {
  /** A keyword, or the name of a tool. */
  readonly id: string
  readonly template: TemplateAnswer | null
  readonly server: SchemaAnswer<ServerVerdict> | null
  readonly forced: SchemaAnswer<ForcedVerdict> | null
}

/** What `--schemas` found. */
export interface SchemasReport {
  readonly baseUrl: string | null
  readonly model: string | null
  readonly template: string | null
  readonly findings: readonly DoctorFinding[]
  readonly rows: readonly SchemaRow[]
  readonly isAsked: boolean
}

/** Where requests go, and how long one may take. */
export interface SchemaServer {
  readonly baseUrl: string
  readonly apiKey: string
  readonly headers: Readonly<Record<string, string>>
  readonly model: string | null
  readonly timeoutMs: number
}

export interface ExamineSchemasOptions {
  /** Null: the built-in tools, one per keyword. */
  readonly tools: readonly ListedTool[] | null
  readonly template: TemplateSide | null
  readonly server: SchemaServer | null
  readonly output: Output
}

/** One row to be: its tool or tools, and how the template's part in it is examined. */
interface Subject {
  readonly id: string
  readonly tools: readonly ProbedTool[]
  readonly question: string
  readonly onTemplate: (side: TemplateSide) => Promise<TemplateAnswer>
}

/** Examines each tool on the way to the model (template), at the server, and on the way back (a forced call). */
export async function examineSchemas({
  tools,
  template,
  server,
  output,
}: ExamineSchemasOptions): Promise<SchemasReport> {
  const subjects = tools === null ? builtInSubjects() : subjectsOf(tools)
  const asked = workProgress({ output, noun: 'question', of: subjects.length })
  const onQuestion = (answered: number): void => asked.step(answered)
  const report =
    server === null ? null : await probeSchemas({ ...server, questions: subjects.map(questionOf), onQuestion })
  const answers = new Map(report?.answers.map((each) => [each.id, each]))
  const fates = new Map<string, TemplateAnswer>()
  const rendered = workProgress({ output, noun: 'rendered tool', of: subjects.length })
  if (template !== null)
    for (const [index, subject] of subjects.entries()) {
      rendered.step(index)
      // A server that renders would refuse, or hang, again.
      if (!template.asksServer || answers.get(subject.id)?.server.verdict === 'accepted')
        fates.set(subject.id, await subject.onTemplate(template))
    }
  output.progressDone()
  const plain = server === null ? [] : [PLAIN_PROBE.id]
  const ids = [...plain, ...subjects.map(({ id }) => id)]
  return {
    baseUrl: report?.baseUrl ?? null,
    model: report?.model ?? null,
    template: template?.name ?? null,
    findings: report?.findings ?? [],
    rows: ids.map((id) => ({
      id,
      template: fates.get(id) ?? null,
      server: answers.get(id)?.server ?? null,
      forced: answers.get(id)?.forced ?? null,
    })),
    isAsked: report === null || report.isAsked,
  }
}

function builtInSubjects(): readonly Subject[] {
  return SCHEMA_PROBES.map(({ id, tool, question, parts, texts }) => ({
    ...{ id, question, tools: [tool] },
    onTemplate: (side) => side.part(tool, { parts, texts }),
  }))
}

/** All tools in one request, then each. Names that are listed twice are numbered. */
function subjectsOf(tools: readonly ListedTool[]): readonly Subject[] {
  const seen = new Map<string, number>()
  const each = tools.map((tool): Subject => {
    const count = (seen.get(tool.name) ?? 0) + 1
    seen.set(tool.name, count)
    const probed = tool as ProbedTool
    return {
      id: count === 1 ? tool.name : `${tool.name} (${count})`,
      tools: [probed],
      question: `Call ${quotedLine(tool.name)}.`,
      onTemplate: (side) => side.keywords(probed),
    }
  })
  if (tools.length === 1) return each
  const together = tools as readonly ProbedTool[]
  const all = { id: `all ${tools.length} tools`, tools: together, question: 'Call one of the tools.' }
  return [{ ...all, onTemplate: (side) => side.all(together) }, ...each]
}

function questionOf({ id, tools, question }: Subject): SchemaQuestion {
  const [tool] = tools
  if (tool === undefined || tools.length > 1) return { id, tools, question }
  return { id, tools, question, misfit: (_call, args) => misfitOf(tool, args) }
}

/** Patterns come from servers: a slow one ends after a second. */
function misfitOf(tool: ProbedTool, args: unknown): string | null {
  const schema = tool.parameters ?? { type: 'object', additionalProperties: false }
  return bounded(tool, () => ({ reason: misfit(args, schema) }))?.reason ?? null
}
