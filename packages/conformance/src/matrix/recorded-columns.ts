import { STRICT } from '../protocol/declaration.ts'
import { readRecorded, recordedCase, recordedDates, recordedReply, topicOf } from '../recorded.ts'
import type { Compared } from './compared.ts'

/** Adds recorded answers of engines about these formats, a column per engine. */
export async function addRecorded(compared: Compared, formats: ReadonlySet<string>): Promise<void> {
  const answers = (await readRecorded()).filter(({ format }) => formats.has(format))
  const dates = await recordedDates([...new Set(answers.map(({ engine }) => engine))])
  for (const answer of answers) {
    const { engine, op, format, agrees } = answer
    const item = recordedCase(answer)
    const column = compared.column({
      name: engine,
      recorded: dates.get(engine) ?? engine.split('@')[1] ?? '',
      cases: null,
      date: null,
    })
    compared.add({
      ...{ column, op, format, item, topic: topicOf(answer), reason: null },
      id: item?.id ?? answer.id,
      profile: STRICT,
      raw: null,
      verdict: agrees === null ? 'open' : agrees ? 'passed' : 'failed',
      reply: item === null ? null : recordedReply(answer),
    })
  }
}
