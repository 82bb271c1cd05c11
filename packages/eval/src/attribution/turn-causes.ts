import { finishOf } from '../client/finish-reason.ts'
import type { TurnLabel } from '../labels.ts'
import { PROTOCOL_TABLE } from '../protocols/table.ts'
import type { CallLine, TurnLine } from '../run/trace.ts'
import type { LabelledTurn, TurnInput } from '../score/label-turn.ts'
import { quotedMark } from '../score/quotes.ts'
import { hasCalls } from '../score/view-turn.ts'
import { argumentIssues } from '../world/argument-issues.ts'
import { at, offsetIn, quote } from './quotation.ts'
import type { AttributionRule } from './attribution.ts'
import type { PromptView } from './prompt-view.ts'

/** Everything the causes of a failed turn are looked for in. */
export interface FailedTurn extends LabelledTurn {
  readonly input: TurnInput
  readonly line: TurnLine
  /** The calls that the host made for it. */
  readonly calls: readonly CallLine[]
  readonly prompt: PromptView
}

type Cause = AttributionRule<FailedTurn>

/**
 * The causes of a failed turn, the first that holds counts: first what happened on the way, then what the prompt did, then
 * whether somebody could have read the reply, and only then the model. So the model is blamed for what is left when nothing
 * else explains it, and never for a stop word that the server ignored.
 */
export const TURN_CAUSES: readonly Cause[] = [
  {
    id: 'no-reply',
    blames: 'server',
    means: 'There is no reply, after every retry.',
    evidence: ({ line: { failure, attempts } }) =>
      failure === null || failure.kind === 'context' || failure.kind === 'refused'
        ? null
        : `no reply in ${plural(attempts, 'attempt')}: ${quote(failure.message)}`,
  },
  {
    id: 'prompt-too-long',
    blames: 'prompt',
    means: 'The server refuses the prompt as too long, or it leaves no room for a single token.',
    evidence: ({ line }) => {
      if (line.failure?.kind === 'context') return `the server says ${quote(line.failure.message)}`
      return leavesNoRoom(line) ? 'finish_reason is "length", and there is no token' : null
    },
  },
  {
    id: 'filtered',
    blames: 'server',
    means: 'A content filter took the reply.',
    evidence: ({ line }) => {
      if (line.failure?.kind === 'refused') return `the server says ${quote(line.failure.message)}`
      return finishOf(line.finishReason) === 'content_filter' ? `finish_reason is "${line.finishReason}"` : null
    },
  },
  {
    id: 'server-read-calls',
    blames: 'server',
    means: 'Calls are text in this protocol, but the server read them itself.',
    evidence: ({ input: { protocol }, line: { toolCalls } }) => {
      const [first] = toolCalls
      return first === undefined || PROTOCOL_TABLE[protocol].dialect.callBlocks !== undefined
        ? null
        : `tool_calls holds ${quote(first.name)}, though no tools were sent`
    },
  },
  {
    id: 'calls-announced',
    blames: 'server',
    means: 'The finish reason announces calls, and there are none.',
    evidence: ({ line: { finishReason, toolCalls } }) =>
      finishOf(finishReason) === 'tool_calls' && toolCalls.length === 0
        ? `finish_reason is "${finishReason}", and tool_calls is empty`
        : null,
  },
  {
    id: 'text-swallowed',
    blames: 'server',
    means: 'The server counted tokens, and gave none of them.',
    evidence: ({ score, line: { usage } }) =>
      score.strict === 'empty' && usage !== null && usage.completion >= SWALLOWED
        ? `usage counts ${usage.completion} tokens, but text, reasoning and tool_calls are empty`
        : null,
  },
  {
    id: 'stop-word-ignored',
    blames: 'server',
    means: 'The text goes on behind a stop word that the server was told.',
    evidence: ({ score, input, line }) => {
      if (!line.warnings.includes('stop-word-ignored') || !BEHIND_STOP.has(score.strict)) return null
      const words = PROTOCOL_TABLE[input.protocol].dialect.stopWords.map((word) => input.text.indexOf(word))
      const [place = 0] = words.filter((found) => found >= 0).sort((one, other) => one - other)
      return `the text goes on behind the stop word, ${at(input.text, place)}`
    },
  },
  {
    id: 'end-mark-kept',
    blames: 'server',
    means: "The text ends in the model's end mark, which the server should have taken off.",
    evidence: ({ score, input }) => {
      const mark =
        score.strict === 'leaked_marker' ? END_MARKS.find((each) => input.text.trimEnd().endsWith(each)) : undefined
      return mark === undefined ? null : at(input.text, input.text.lastIndexOf(mark), mark.length)
    },
  },
  {
    id: 'cut-but-stop',
    blames: 'server',
    means: 'All tokens are used up and a call does not end, but the finish reason says something else.',
    evidence: ({ score, line: { finishReason, usage } }) =>
      score.strict === 'truncated' && finishOf(finishReason) !== 'length'
        ? `finish_reason is ${JSON.stringify(finishReason)}, but all ${usage?.completion ?? 0} tokens are used up`
        : null,
  },
  {
    id: 'call-left-in-text',
    blames: 'server',
    means: 'The server was to read the calls, and left one in the text that can be read.',
    evidence: ({ input, views }) => {
      if (PROTOCOL_TABLE[input.protocol].dialect.callBlocks === undefined || hasCalls(views.strict.reading)) return null
      const place = textCall(views.strict.visible)
      return place === null
        ? null
        : `tool_calls is empty, the text holds ${at(input.text, offsetIn(input.text, views.strict.visible.slice(place)))}`
    },
  },
  {
    id: 'tools-not-shown',
    blames: 'prompt',
    means: 'The prompt names none of the offered tools.',
    evidence: ({ score, prompt }) =>
      GUESSED.has(score.strict) && prompt.showsTools() === false
        ? 'no message of the prompt names an offered tool'
        : null,
  },
  {
    id: 'mark-in-prompt',
    blames: 'prompt',
    means:
      'What spoils the reply stands word for word in the task or in a result: marks that a host cannot tell from its own.',
    evidence: ({ score, input, prompt }) => {
      const found = FORGED.has(score.strict) ? quotedMark(input.text, prompt.given) : null
      if (found === null) return null
      const where = found.source === 0 ? 'the task' : `result ${found.source}`
      return `${at(input.text, found.start, found.end - found.start)} is copied from ${where}`
    },
  },
  {
    id: 'readable-but-refused',
    blames: 'parser',
    means: 'The reply can be read with named repairs, but the host made no such call of it.',
    evidence: ({ score, views, input, calls }) => {
      if (score.lenient !== 'recovered' || wasMade(calls, views.lenient.reading.calls?.length ?? 0)) return null
      return `${score.problem ?? 'refused'}, ${firstCallAt(views, input)}; read with ${list(score.repairs)}`
    },
  },
  ...modelCauses(),
]

/** Few tokens may be an end mark or a stop word. */
const SWALLOWED = 8

const BEHIND_STOP: ReadonlySet<TurnLabel> = new Set<TurnLabel>([
  'hallucinated_observation',
  'leaked_marker',
  'truncated',
])
const GUESSED: ReadonlySet<TurnLabel> = new Set<TurnLabel>([
  'wrong_protocol',
  'malformed',
  'hallucinated_tool',
  'bad_args_schema',
  'no_tool_text',
])
const FORGED: ReadonlySet<TurnLabel> = new Set<TurnLabel>([
  'hallucinated_observation',
  'leaked_marker',
  'wrong_protocol',
  'malformed',
  'hallucinated_tool',
  'bad_args_schema',
])
const END_MARKS = ['<|im_end|>', '<|endoftext|>', '<|eot_id|>', '<|eom_id|>', '<｜end▁of▁sentence｜>']

/** One cause per label that is left: then it is the model's doing. */
function modelCauses(): readonly Cause[] {
  const cause = (label: TurnLabel, means: string, evidence: (turn: FailedTurn) => string): Cause => ({
    id: label.replaceAll('_', '-'),
    blames: 'model',
    means,
    evidence: (turn) => (labelThatCounts(turn) === label ? evidence(turn) : null),
  })
  return [
    {
      id: 'odd-but-read',
      blames: 'model',
      means: 'The model departs from the protocol, and the host understood it all the same.',
      evidence: ({ score, input, views }) =>
        score.lenient === 'recovered' ? `${list(score.repairs)}, ${firstCallAt(views, input)}` : null,
    },
    cause('truncated', 'The reply does not end before its tokens do.', ({ score, line, input }) => {
      const size = line.usage === null ? `${input.text.length} characters` : plural(line.usage.completion, 'token')
      const circles = score.flags.includes('intra_repetition') ? ', the same 20 words again and again' : ''
      return `cut off after ${size}${circles}: ${at(input.text, Math.max(0, input.text.length - 40))}`
    }),
    cause(
      'empty',
      'The model ended at once.',
      ({ line }) => `nothing but finish_reason ${JSON.stringify(line.finishReason)}`,
    ),
    cause('call_in_thought', 'The call stands in the thinking, where no host looks.', ({ input, views }) => {
      const field = input.text.includes(views.strict.thought) ? 'text' : 'reasoning'
      const place = textCall(views.strict.thought) ?? 0
      return `in ${field}: ${at(views.strict.thought, place)}`
    }),
    cause('hallucinated_observation', 'The model wrote the result itself.', ({ input }) => {
      const place = input.text.search(/Observation:|<tool_response>|✿RESULT✿|(?:^|\n)Result: /)
      return `the model goes on with ${at(input.text, Math.max(0, place))}`
    }),
    cause('leaked_marker', 'The model wrote a control mark.', ({ input }) => {
      const place = input.text.search(
        /<\|[a-z_]+\|>|<\/?tool_(?:call|response)>|✿(?:RESULT|RETURN)✿|<\/assistant>|\[\/INST\]/,
      )
      return at(input.text, Math.max(0, place), 24)
    }),
    cause(
      'wrong_protocol',
      'The model speaks another protocol.',
      ({ input, views }) => `${input.protocol} was asked for, not ${firstCallAt(views, input)}`,
    ),
    cause(
      'malformed',
      'The call cannot be read.',
      ({ score, input, views }) => `${score.problem ?? 'not readable'}, ${firstCallAt(views, input)}`,
    ),
    cause('hallucinated_tool', 'The model calls a tool that is not offered.', ({ input, views }) => {
      const names = (views.lenient.reading.calls ?? []).map(({ name }) => name)
      const unknown = names.find((name) => input.tools?.every((tool) => tool.name !== name)) ?? ''
      return `${quote(unknown)} is none of ${list((input.tools ?? []).slice(0, 5).map(({ name }) => name))}`
    }),
    cause(
      'double_encoded',
      'The arguments are a text that holds an object.',
      ({ input, views }) => `the arguments are a text, ${firstCallAt(views, input)}`,
    ),
    cause('bad_args_schema', 'The arguments do not agree with the schema.', schemaEvidence),
    {
      id: 'unclear',
      blames: 'model',
      means: 'A call is meant where the protocol has none.',
      evidence: ({ score, input, views }) => `${score.strict} / ${score.lenient}: ${firstCallAt(views, input)}`,
    },
  ]
}

/** What is wrong with a call that can be read with repairs says more than that it took them. */
function labelThatCounts({ score: { strict, lenient } }: FailedTurn): TurnLabel {
  return strict !== 'truncated' && OF_CALLS.has(lenient) ? lenient : strict
}

const OF_CALLS: ReadonlySet<TurnLabel> = new Set<TurnLabel>(['hallucinated_tool', 'double_encoded', 'bad_args_schema'])

function schemaEvidence({ input, views }: FailedTurn): string {
  for (const { name, args } of views.lenient.reading.calls ?? []) {
    const schema = input.tools?.find((tool) => tool.name === name)?.parameters
    const issue = schema === undefined ? undefined : argumentIssues(args, schema)[0]
    if (issue !== undefined) return `${name}: ${issue.message.slice(0, 120)} (${issue.reason})`
  }
  return `a number that JSON does not have, ${firstCallAt(views, input)}`
}

function leavesNoRoom({ finishReason, usage, text, reasoning }: TurnLine): boolean {
  return (
    finishOf(finishReason) === 'length' && text === '' && reasoning === '' && (usage === null || usage.completion === 0)
  )
}

/** Whether the host made as many calls as can be read, and their arguments could be read too. */
function wasMade(calls: readonly CallLine[], readable: number): boolean {
  return calls.length >= readable && calls.every(({ result }) => !UNREADABLE.test(result))
}

/** How the tools answer to arguments that are no JSON. */
const UNREADABLE = /"code":"bad_arguments","message":"Parameters must be formatted as a valid JSON/

/** Where a text holds a call that can be read; null for none. */
function textCall(text: string): number | null {
  const [block] = PROTOCOL_TABLE['fncall-nous'].dialect.blocks(text)
  if (block !== undefined && hasCalls(PROTOCOL_TABLE['fncall-nous'].dialect.readLenient(text, null))) return block.start
  const found = hasCalls(PROTOCOL_TABLE['fncall-qwen'].dialect.readLenient(text, null))
    ? text.search(/✿\s*FUNCTION|\{/i)
    : -1
  return found < 0 ? null : found
}

/** The place of the first call, or of the beginning. */
function firstCallAt({ strict, lenient }: FailedTurn['views'], input: TurnInput): string {
  const [call] = input.toolCalls ?? []
  if (call !== undefined && strict.dialect.callBlocks !== undefined)
    return `tool_calls[0].arguments ${quote(call.arguments)}`
  const [block] = strict.blocks
  const begin =
    block?.start ?? lenient.visible.search(/✿\s*(?:FUNCTION|ARGS)|<\/?tool_call|(?:action|动作|行动)[ \t]*[:：]|\{|\S/i)
  return at(input.text, offsetIn(input.text, strict.visible.slice(Math.max(0, begin))))
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : names.join(', ')
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
