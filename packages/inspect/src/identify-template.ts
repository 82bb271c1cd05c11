import { identifyReply, mostOften } from '@callspec/core/identify'
import type { IdentifiedReply, RankedFormat } from '@callspec/core/identify'
import { isList } from '@callspec/python'
import type { PyValue } from '@callspec/python'
import { callsOfMessage, diffProbes, isForServers, messagesWithCalls, toolOfCall } from '@callspec/template/check'
import type { DiffProbe, Side } from '@callspec/template/check'

/** The format of the calls that a template writes into its history. */
export async function identifyTemplate(side: Side): Promise<IdentifiedReply> {
  const probes = diffProbes().filter((probe) => side.server === null || isForServers(probe))
  const replies: IdentifiedReply[] = []
  for (const probe of probes) {
    const messages = probe.variables.get('messages') ?? []
    if (!isList(messages)) continue
    for (const index of messagesWithCalls(messages)) {
      const text = await writtenText(side, { probe, messages, index })
      const tools = callsOfMessage(messages[index] ?? null).map(toolOfCall)
      if (text !== null) replies.push(identifyReply(text, { tools }))
    }
  }
  return summaryOf(replies)
}

interface TemplateLocation {
  readonly probe: DiffProbe
  readonly messages: readonly PyValue[]
  readonly index: number
}

/** The text that a template adds for a message; null if it refuses a conversation that ends there. */
async function writtenText(side: Side, { probe, messages, index }: TemplateLocation): Promise<string | null> {
  const prompt = await shownTemplate(side, probe, { messages: messages.slice(0, index), isPrompt: true })
  const whole = await shownTemplate(side, probe, { messages: messages.slice(0, index + 1), isPrompt: false })
  if (prompt === null || whole === null) return null
  let start = 0
  while (start < prompt.length && prompt[start] === whole[start]) start += 1
  return whole.slice(start)
}

async function shownTemplate(
  side: Side,
  probe: DiffProbe,
  { messages, isPrompt }: { readonly messages: readonly PyValue[]; readonly isPrompt: boolean },
): Promise<string | null> {
  const variables = new Map([...probe.variables, ['messages', messages], ['add_generation_prompt', isPrompt]] as const)
  const made = await side.show({ ...probe, variables })
  return made.kind === 'text' ? made.text : null
}

function summaryOf(replies: readonly IdentifiedReply[]): IdentifiedReply {
  const { formats } = mostOften(replies)
  const scores = new Map<string, number[]>()
  const versions = new Map(replies.flatMap(({ ranking }) => ranking.map(({ format, version }) => [format, version])))
  for (const { ranking } of replies)
    for (const { format, score } of ranking) scores.set(format, [...(scores.get(format) ?? []), score])
  const ranking = [...scores].map(([format, all]): RankedFormat => {
    const best = replies.filter((reply) => reply.formats.includes(format)).length
    const total = replies.length === 1 ? '1 reply' : `${replies.length} replies`
    const why = `Of ${total} with a call that the template writes it reads ${best} best.`
    const version = versions.get(format) ?? ''
    return {
      format,
      version,
      score: Math.round((1000 * sum(all)) / all.length) / 1000,
      why: best === 0 ? READS_NO_CALL : why,
    }
  })
  const rank = ({ format, score }: RankedFormat): number => (formats.includes(format) ? 2 : 0) + score
  return { formats, broken: null, stray: null, ranking: ranking.toSorted((one, other) => rank(other) - rank(one)) }
}

const READS_NO_CALL = 'It reads none of the calls that the template writes best.'

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
