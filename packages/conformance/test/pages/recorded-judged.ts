import type { RecordedAnswer } from '../../src/index.ts'
import { topicOf } from '../../src/index.ts'
import { code, table } from './markdown.ts'

/** What recorded answers have in common that somebody has judged. */
export interface JudgedDeviation {
  readonly engine: string
  readonly kind: 'bug' | 'policy'
  readonly link: string
  readonly what: string
  readonly isOf: (answer: RecordedAnswer, text: string) => boolean
  /** A strict case that shows it, and the parser that is asked. */
  readonly id: string
  readonly parser: string
}

/** Found in public reports; the rest of what was recorded is unverified. */
export const JUDGED: readonly JudgedDeviation[] = [
  {
    ...{ engine: 'vllm@239b5ff', kind: 'bug', link: 'https://github.com/vllm-project/vllm/pull/48795' },
    what: 'phi4_mini_json ends the list of calls at its first closing bracket: calls with a list in their arguments, or a bracket in a text, are lost',
    isOf: ({ format }, text) => format === 'phi-4-mini' && /\].*\]/s.test(text),
    ...{ id: 'phi-4-mini/parse/value-types#nested: a list of strings', parser: 'vllm/vllm_adapter.py phi4_mini_json' },
  },
  {
    ...{ engine: 'vllm@2dbd5be', kind: 'bug', link: 'https://github.com/vllm-project/vllm/issues/19569' },
    what: 'a negative number is no literal to the readers of Python calls: the call stays in the text',
    isOf: (_, text) => /=-\d/.test(text),
    ...{ id: 'pythonic/parse/value-types#value-types: a negative float', parser: 'vllm/vllm_adapter.py pythonic' },
  },
  {
    ...{ engine: 'sglang@04653fa', kind: 'bug', link: 'https://github.com/sgl-project/sglang/issues/27910' },
    what: 'a negative number is no literal to PythonicDetector: all calls of the reply are lost',
    isOf: (_, text) => /=-\d/.test(text),
    ...{ id: 'pythonic/parse/value-types#value-types: a negative float', parser: 'sglang/sglang_adapter.py pythonic' },
  },
  {
    ...{ engine: 'sglang@04653fa', kind: 'policy', link: 'https://github.com/sgl-project/sglang/issues/40817' },
    what: 'a call of a tool that was not offered is dropped, unless SGLANG_FORWARD_UNKNOWN_TOOLS is set; the report asks for another default',
    // Of these two formats it read no call at all.
    isOf: (answer) => topicOf(answer) === 'unknown-tools' && !/^mistral-v(?:3|11)$/.test(answer.format),
    ...{ id: 'lfm2/parse/unknown-tools#a tool that nobody offered', parser: 'sglang/sglang_adapter.py lfm2' },
  },
]

/** The answers in which a deviation shows. */
export function showing(judged: JudgedDeviation, answers: readonly RecordedAnswer[]): readonly RecordedAnswer[] {
  return answers.filter((answer) => {
    const text = answer.question?.input.get('text')
    const isWrong = answer.op === 'parse' && answer.engine === judged.engine && answer.agrees === false
    return isWrong && judged.isOf(answer, typeof text === 'string' ? text : '')
  })
}

/** A row per deviation, with the command that asks an installed engine for it alone. */
export function judgedTable(answers: readonly RecordedAnswer[]): string {
  const rows = JUDGED.map((judged) => {
    const { engine, kind, link, what, id, parser } = judged
    const [file = '', name = ''] = parser.split(' ')
    const asked = `python3 packages/conformance/adapters/${file} --tool-parser ${name} --format ${id.split('/')[0] ?? ''}`
    const command = `callspec conformance run --impl '${asked}' --id '${id}'`
    return [code(engine), kind, String(showing(judged, answers).length), `${what}: ${link}`, `\`${command}\``]
  })
  return [HEAD, table(['engine', 'judged', 'answers', 'what', 'repeats it where the engine is installed'], rows)].join(
    '\n\n',
  )
}

const HEAD = `### What was reported

Of what was recorded this stands in public reports; nobody has looked for the rest, which is unverified. None of these commands was run
here: vLLM and SGLang cannot be installed on every machine. What else their parsers answered is asked again in the same way, by
\`--tool-parser\` and the \`--id\` of a case; for the makers' own programs there is no adapter, and no command of ours repeats what they answered.`
