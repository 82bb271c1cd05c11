import type { ScriptFinding } from '@callspec/eval/doctor'
import { FORCED_TOKENS } from '@callspec/eval/doctor'
import { plural } from '@callspec/eval/text'
import type { Output } from '../output.ts'
import { inert } from '../output.ts'
import { renderTable } from '../table.ts'
import type { NamedFinding } from './print-report.ts'
import { printFindings } from './print-report.ts'
import type { SchemaRow, SchemasReport } from './schemas.ts'

/** The version of what `--schemas --json` prints. */
const SCHEMAS_JSON = 1

/** The report as programs read it: `@callspec/eval/schemas/doctor-schemas.schema.json`. */
export function schemasJson(report: SchemasReport): object {
  const isHealthy = schemaFindings(report).every(({ finding }) => finding.verdict !== 'fail')
  return { schema: SCHEMAS_JSON, kind: 'doctor-schemas', ...report, isHealthy }
}

type Side = 'template' | 'server' | 'forced'
const SIDES: readonly Side[] = ['template', 'server', 'forced']
const HEADS: Readonly<Record<Side, string>> = { template: 'template', server: 'server', forced: 'forced call' }

type Grade = Pick<ScriptFinding, 'verdict' | 'whatToChange'>

const GOOD: Grade = { verdict: 'ok', whatToChange: null }

/** What each verdict means, by side. */
const GRADES: Readonly<Record<Side, Readonly<Record<string, Grade>>>> = {
  template: {
    rendered: GOOD,
    dropped: {
      verdict: 'warn',
      whatToChange:
        'The model does not see it: say it in the description, or use a template that prints the whole schema.',
    },
    changed: {
      verdict: 'warn',
      whatToChange: 'The model sees another text than the schema has. callspec template render shows the prompt.',
    },
    refused: {
      verdict: 'fail',
      whatToChange: 'The template raises an error: leave the keyword out for this model, or change the template.',
    },
  },
  server: {
    accepted: GOOD,
    refused: {
      verdict: 'fail',
      whatToChange: 'The server takes no tool with this: rewrite the schema before it is sent.',
    },
    failed: {
      verdict: 'fail',
      whatToChange: 'Look at the log of the server, and leave this out of schemas until then.',
    },
    hangs: {
      verdict: 'fail',
      whatToChange: 'The server compiles the schema for longer than --timeout, or for ever: leave this out of schemas.',
    },
  },
  forced: {
    obeyed: GOOD,
    ignored: {
      verdict: 'warn',
      whatToChange: 'The server does not force it: check the arguments of calls before you use them.',
    },
    looping: {
      verdict: 'fail',
      whatToChange: `A forced call of a few words has ${FORCED_TOKENS} tokens and no end: set max_tokens, and do not force such tools.`,
    },
    refused: { verdict: 'fail', whatToChange: 'The server cannot force a call of this tool: use tool_choice "auto".' },
    failed: { verdict: 'fail', whatToChange: 'Look at the log of the server, and use tool_choice "auto".' },
    hangs: { verdict: 'fail', whatToChange: 'A forced call has no end within --timeout: use tool_choice "auto".' },
  },
}

const UNKNOWN: Grade = { verdict: 'unknown', whatToChange: null }

/** What is not as it should be, in the order of the rows. */
export function schemaFindings({ findings, rows }: SchemasReport): readonly NamedFinding[] {
  const general = findings.map(({ check, ...finding }) => ({ name: check, finding }))
  return [
    ...general,
    ...rows.flatMap((row) =>
      SIDES.flatMap((side) => {
        const answer = row[side]
        const grade = gradeOf(row, side)
        if (answer === null || grade === null || grade.verdict === 'ok') return []
        const { verdict, evidence: why } = answer
        const evidence = why === '' ? verdict : why.startsWith(`${verdict}: `) ? why : `${verdict}: ${why}`
        return [{ name: `${row.id} (${HEADS[side]})`, finding: { ...grade, evidence } }]
      }),
    ),
  ]
}

/** A table of all rows, then what is not as it should be. */
export function printSchemas(report: SchemasReport, output: Output): void {
  const { baseUrl, model, template, rows } = report
  const about = [
    ...(baseUrl === null ? [] : [`${model ?? 'no model'} at ${baseUrl}`]),
    ...(template === null ? [] : [`template ${template}`]),
  ]
  output.line(output.paint('bold', inert(about.join(', '))))
  const named = schemaFindings(report)
  const listed = rows.length <= MOST_ROWS ? rows : rows.filter((row) => hasFinding(row)).slice(0, MOST_ROWS)
  if (listed.length > 0) {
    const sides = SIDES.filter((side) => rows.some((row) => row[side] !== null))
    const table = listed.map((row) => [row.id, ...sides.map((side) => row[side]?.verdict ?? '')])
    const head = ['schema', ...sides.map((side) => HEADS[side])]
    output.line(renderTable({ head, rows: table, ascii: !output.isTerminal, width: output.wrapAt }))
  }
  const others = rows.length - listed.length
  if (others > 0)
    output.line(
      `${plural(others, listed.length === 0 ? 'schema' : 'more schema')}, without a finding or beyond the first ${MOST_ROWS}: --json has all.`,
    )
  printFindings(named, output)
}

/** Longer tables have only rows with a finding. */
const MOST_ROWS = 60

function hasFinding(row: SchemaRow): boolean {
  return SIDES.some((side) => (gradeOf(row, side)?.verdict ?? 'ok') !== 'ok')
}

/** Null where the side was not examined. */
function gradeOf(row: SchemaRow, side: Side): Grade | null {
  const answer = row[side]
  if (answer === null) return null
  // No call depends on the dialect of its schema.
  if (side === 'template' && row.id === '$schema' && answer.verdict === 'dropped') return GOOD
  return GRADES[side][answer.verdict] ?? UNKNOWN
}
