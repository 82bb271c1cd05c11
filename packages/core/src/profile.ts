// tidy: long because it is one table; a difference is one row of the interface and one of HISTORY.

/**
 * What differs between versions of Qwen-Agent. Every difference is one row of `HISTORY`, with the version in which each
 * value began; a profile is that table read at one version. Code asks for the difference, never for the version.
 *
 * Source: spec §15 and the sections named at each row.
 */
export const PROFILE_NAMES = ['main', 'v0.0.26', 'v0.0.16', 'v0.0.13', 'v0.0.7'] as const

/** The name of a profile, short form. */
export type ProfileName = (typeof PROFILE_NAMES)[number]

/** One version of the reference, as its differences from the others; spec §15 and the section of each group. */
export interface Profile {
  readonly name: ProfileName

  // Messages (§1)
  /** Item types that a content item may have. */
  readonly itemTypes: readonly ('text' | 'image' | 'file' | 'audio' | 'video')[]
  /** Whether `audio` may be a map. */
  readonly audioMaps: boolean
  /** Whether messages have `reasoning_content`, and what null becomes. */
  readonly reasoningContent: 'absent' | 'null-becomes-empty' | 'nullable'
  readonly hasExtra: boolean

  // Conversion and upload notes (§4)
  /** Whether `extra` survives the conversion to multimodal or text form. */
  readonly conversionKeepsExtra: boolean
  /** What a message with `""` as content becomes in multimodal form. */
  readonly emptyTextBecomes: 'no-items' | 'one-empty-item'
  /** Which items an upload note names, and how the label is chosen. */
  readonly uploadNoteNames: 'files-and-images-by-extension' | 'files-then-images-by-extension' | 'by-item-type'
  /** What parts the note from the text that follows. */
  readonly uploadNoteEnd: 'blank-line' | 'space-in-en-only'

  // Tool definitions (§5, §6.1)
  /** Which key gives the name that goes into `tool_names`. */
  readonly toolNamesPrefer: 'name' | 'name_for_model'
  /** What an agent hands over for a tool: the class's legacy keys too, or the three of the schema. */
  readonly agentToolKeys: 'with-human-name-and-args-format' | 'name-description-parameters'

  // qwen (§6)
  /** Whether the reader of qwen takes items in a first message for granted: without them it is an IndexError. */
  readonly qwenExpectsContent: boolean
  /** When a call that the model is forced to make gets a line of its own; `always` looks at the text as it is. */
  readonly partsForcedCall: 'always' | 'after-items'

  // qwen and nous
  /** Whether the prompts take messages for granted: without them the tool section is an IndexError. */
  readonly promptsExpectMessages: boolean
  /** Whether what is made of a reply carries the `extra` of the reply. */
  readonly repliesKeepExtra: boolean

  // nous (§7)
  readonly hasNous: boolean
  readonly nousCodeMode: boolean
  /** The newline between merged assistant items. */
  readonly nousAssistantJoin: 'always' | 'when-needed'
  /** How call arguments of the history are read, and what happens when they cannot be. */
  readonly nousHistoryArguments: 'strict-or-raise' | 'json5-or-raise' | 'json5-or-raw-text'
  /** Whether an assistant message of the history keeps its reasoning. */
  readonly nousKeepsReasoning: boolean
  /** Which tool results nous can show. */
  readonly nousResults: 'one-item-with-text' | 'one-item' | 'any-items'
  /** What a complete call whose JSON is broken gives. */
  readonly nousBrokenCall: 'raise' | 'partial-extraction'
  /** Which reader complete calls go through. */
  readonly nousCallReader: 'strict' | 'json5'
  /** What an unclosed call gives. */
  readonly nousPartialCall: 'keep-all' | 'nothing' | 'drop-five-characters' | 'drop-one-character'
  /** Where the name of an unclosed or broken call ends, and what is taken when that end is missing. */
  readonly nousPartialName: 'separator-or-all' | 'separator-or-quote' | 'separator-or-nothing'
  /** Whether text between `</tool_call>` and the next call survives. */
  readonly nousKeepsTextAfterCall: boolean
  readonly nousThoughtInContent: boolean
  /** Whether a `<think>` in the text switches thinking on by itself. */
  readonly nousDetectsThink: boolean
  /** Whether a call without `name` or `arguments` is dropped or a KeyError; `{}`, null and other falsy bodies too. */
  readonly nousMissingKeys: 'key-error' | 'key-error-unless-falsy' | 'dropped'
  /** Whether calls and their results carry `extra.function_id`. */
  readonly functionIds: boolean

  // The chat call (§8)
  readonly defaultPromptType: 'qwen' | 'nous'
  /** Whether `fncall_prompt_type` is looked at; before, it was a parameter like any other and qwen the only format. */
  readonly choosesFormat: boolean
  /** Whether `cache_dir` names a folder for replies, which is refused here, or is a parameter like any other. */
  readonly cachesReplies: boolean
  readonly forwardsPromptType: boolean
  readonly rawApi: boolean
  readonly emptyMessages: 'allowed' | 'error'
  readonly stripsThinkFromHistory: boolean
  readonly drawsSeed: boolean
  /** Who sets `incremental_output`: nobody, streamed calls, or the model (then calls that do not stream drop it). */
  readonly incrementalOutput: 'never' | 'qwen-dashscope-streams' | 'dashscope-models'
  readonly defaultSystemMessage: string
  /** Whether a system message equal to the default is removed just before sending. */
  readonly dropsDefaultSystemMessage: boolean
  readonly maxInputTokens: number
  readonly validatesCallResults: boolean
  /** Whether that validation looks at the items of results too. */
  readonly validatesResultItems: boolean
  /** Whether the qwen conversion runs without tools too (then "remove calls" covers choice `none` only). */
  readonly convertsWithoutTools: boolean
  /** Whether images of a text-only model are named in the note even without tools. */
  readonly notesImagesForTextModels: boolean
  readonly removedCallsSpace: boolean
  readonly continuation: 'with-tools-only' | 'always'
  /** How the DashScope client asks a model to go on with its last answer. */
  readonly dashscopeContinuation: 'raw-prompt' | 'partial-message'
  /** Whether calls after the first are dropped from a reply unless the caller asked for parallel calls. */
  readonly dropsFurtherCalls: boolean
  /** Whether a streamed chunk without text makes the OpenAI-style client yield too. */
  readonly yieldsEveryChunk: boolean
  /** The shape of the OpenAI-style request and of streamed replies. */
  readonly wire: 'plain' | 'merged'
  readonly emptyListIsIndexErrorInStopWords: boolean

  // Truncation (§9) and tokenizer (§3)
  readonly truncation:
    'whole-turns' | 'messages-from-newest' | 'messages-and-results-from-newest' | 'shrink-oldest-turns'
  readonly tokenizerKeepsBothSides: boolean
  /** Whether a call counts (instead of the content of its message). */
  readonly countsCalls: boolean

  // Agents (§11, §12)
  readonly maxModelCalls: number
  readonly agentSystemMessage: 'every-call' | 'once-unless-default' | 'once'
  /** Whether an agent without a system text adds one all the same, an empty one. */
  readonly addsEmptySystemMessage: boolean
  /** What an agent with a system text, or with knowledge, makes of a conversation without messages. */
  readonly agentWithoutMessages: 'index-error' | 'allowed'
  readonly reEmitsAtEnd: boolean
  readonly argumentReader: 'legacy' | 'lenient'
  readonly toolServiceErrorsPropagate: boolean
  /** Whether the function-calling agents pass on the `seed` of a run. */
  readonly agentSeed: boolean
  /** What an agent does with a tool whose schema is no OpenAI-style schema. */
  readonly toolSchemaCheck: 'none' | 'when-built'

  // Knowledge and Memory (§13)
  /** What Memory can read, by the ending of the file's name. */
  readonly documentTypes: readonly string[]
  readonly knowledgeReader: 'json5' | 'strict'
  /** How the knowledge block gets into a system message of items. */
  readonly knowledgeIntoItems: 'characters' | 'one-item'
  readonly defaultKeywordStrategy: 'SplitQueryThenGenKeyword' | 'GenKeyword'
  readonly keywordStopsAtNewlineToo: boolean
  readonly memoryModel: 'own' | 'qwen-turbo-latest' | 'qwen-turbo-for-reasoning-models'

  // ChatML text (§14)
  readonly chatmlStripsContents: boolean
  /** Whether other roles and calls can be rendered at all; without it a call is ignored and other roles are an error. */
  readonly chatmlAllowsSpecial: boolean
  readonly chatmlSystem: 'always' | 'when-present'
}

/** Values with the version in which each began, oldest first; `main` is newer than every release. */
type History<T> = readonly (readonly [since: `v0.0.${number}` | 'main', value: T])[]

const FIRST = 'v0.0.1'

const HISTORY: { readonly [K in Exclude<keyof Profile, 'name'>]: History<Profile[K]> } = {
  itemTypes: [
    [FIRST, ['text', 'image', 'file']],
    ['v0.0.14', ['text', 'image', 'file', 'audio']],
    ['v0.0.15', ['text', 'image', 'file', 'audio', 'video']],
  ],
  audioMaps: [
    [FIRST, false],
    ['v0.0.18', true],
  ],
  reasoningContent: [
    [FIRST, 'absent'],
    ['v0.0.16', 'null-becomes-empty'],
    ['v0.0.22', 'nullable'],
  ],
  hasExtra: [
    [FIRST, false],
    ['v0.0.10', true],
  ],

  conversionKeepsExtra: [
    [FIRST, false],
    ['v0.0.16', true],
  ],
  emptyTextBecomes: [
    [FIRST, 'no-items'],
    ['v0.0.24', 'one-empty-item'],
  ],
  uploadNoteNames: [
    [FIRST, 'files-and-images-by-extension'],
    ['v0.0.15', 'files-then-images-by-extension'],
    ['v0.0.18', 'by-item-type'],
  ],
  uploadNoteEnd: [
    [FIRST, 'blank-line'],
    ['main', 'space-in-en-only'],
  ],

  toolNamesPrefer: [
    [FIRST, 'name'],
    ['v0.0.8', 'name_for_model'],
  ],
  agentToolKeys: [
    [FIRST, 'with-human-name-and-args-format'],
    ['v0.0.16', 'name-description-parameters'],
  ],

  qwenExpectsContent: [
    [FIRST, true],
    // The vectors show a value for v0.0.13 and one for v0.0.26; the version in between is a guess.
    ['v0.0.16', false],
  ],
  partsForcedCall: [
    [FIRST, 'always'],
    // Between v0.0.7 and v0.0.13.
    ['v0.0.8', 'after-items'],
  ],

  promptsExpectMessages: [
    [FIRST, true],
    // Between v0.0.16 and v0.0.26; as long as there was a default system message, there always was a message.
    ['v0.0.20', false],
  ],
  repliesKeepExtra: [
    [FIRST, false],
    // Between v0.0.13 and v0.0.16.
    ['v0.0.16', true],
  ],

  hasNous: [
    [FIRST, false],
    ['v0.0.11', true],
  ],
  nousCodeMode: [
    [FIRST, false],
    ['v0.0.16', true],
  ],
  nousAssistantJoin: [
    [FIRST, 'always'],
    ['v0.0.20', 'when-needed'],
  ],
  nousHistoryArguments: [
    [FIRST, 'strict-or-raise'],
    ['v0.0.18', 'json5-or-raise'],
    ['v0.0.24', 'json5-or-raw-text'],
  ],
  nousKeepsReasoning: [
    [FIRST, false],
    ['v0.0.22', true],
  ],
  nousResults: [
    [FIRST, 'one-item-with-text'],
    ['v0.0.24', 'one-item'],
    ['main', 'any-items'],
  ],
  nousBrokenCall: [
    [FIRST, 'raise'],
    ['v0.0.24', 'partial-extraction'],
  ],
  nousCallReader: [
    [FIRST, 'strict'],
    ['v0.0.18', 'json5'],
  ],
  nousPartialCall: [
    [FIRST, 'keep-all'],
    ['v0.0.16', 'nothing'],
    ['v0.0.18', 'drop-five-characters'],
    ['v0.0.24', 'drop-one-character'],
  ],
  nousPartialName: [
    [FIRST, 'separator-or-all'],
    // Between v0.0.13 and v0.0.16, as the vectors show.
    ['v0.0.16', 'separator-or-quote'],
    ['v0.0.18', 'separator-or-nothing'],
  ],
  nousKeepsTextAfterCall: [
    [FIRST, true],
    ['v0.0.16', false],
  ],
  nousThoughtInContent: [
    [FIRST, false],
    ['v0.0.20', true],
  ],
  nousDetectsThink: [
    [FIRST, false],
    ['main', true],
  ],
  nousMissingKeys: [
    [FIRST, 'key-error'],
    ['v0.0.24', 'key-error-unless-falsy'],
    ['main', 'dropped'],
  ],
  functionIds: [
    [FIRST, false],
    ['main', true],
  ],

  defaultPromptType: [
    [FIRST, 'qwen'],
    ['v0.0.16', 'nous'],
  ],
  choosesFormat: [
    [FIRST, false],
    ['v0.0.8', true],
  ],
  cachesReplies: [
    [FIRST, false],
    ['v0.0.10', true],
  ],
  forwardsPromptType: [
    [FIRST, true],
    ['v0.0.16', false],
  ],
  rawApi: [
    [FIRST, false],
    ['main', true],
  ],
  emptyMessages: [
    [FIRST, 'allowed'],
    ['v0.0.20', 'error'],
  ],
  stripsThinkFromHistory: [
    [FIRST, false],
    ['v0.0.16', true],
    ['v0.0.20', false],
  ],
  drawsSeed: [
    [FIRST, false],
    ['v0.0.8', true],
  ],
  incrementalOutput: [
    [FIRST, 'never'],
    // The two that follow are those of v0.0.16 and v0.0.26; the versions in between are a guess.
    ['v0.0.16', 'qwen-dashscope-streams'],
    ['v0.0.20', 'dashscope-models'],
  ],
  defaultSystemMessage: [
    [FIRST, 'You are a helpful assistant.'],
    ['v0.0.20', ''],
  ],
  dropsDefaultSystemMessage: [
    [FIRST, false],
    ['v0.0.16', true],
    ['v0.0.20', false],
  ],
  maxInputTokens: [
    [FIRST, 5800],
    ['v0.0.13', 28000],
    ['v0.0.14', 30000],
    ['v0.0.20', 58000],
  ],
  validatesCallResults: [
    [FIRST, false],
    ['v0.0.6', true],
    ['v0.0.16', false],
  ],
  validatesResultItems: [
    [FIRST, false],
    ['v0.0.8', true],
  ],
  convertsWithoutTools: [
    [FIRST, true],
    ['v0.0.8', false],
  ],
  notesImagesForTextModels: [
    [FIRST, false],
    ['v0.0.16', true],
  ],
  removedCallsSpace: [
    [FIRST, false],
    ['main', true],
  ],
  continuation: [
    [FIRST, 'with-tools-only'],
    ['v0.0.10', 'always'],
  ],
  dashscopeContinuation: [
    [FIRST, 'raw-prompt'],
    ['v0.0.16', 'partial-message'],
  ],
  dropsFurtherCalls: [
    [FIRST, false],
    // Between v0.0.7 and v0.0.13.
    ['v0.0.8', true],
  ],
  yieldsEveryChunk: [
    [FIRST, false],
    ['v0.0.16', true],
  ],
  wire: [
    [FIRST, 'plain'],
    ['main', 'merged'],
  ],
  emptyListIsIndexErrorInStopWords: [
    [FIRST, true],
    ['main', false],
  ],

  truncation: [
    [FIRST, 'whole-turns'],
    ['v0.0.16', 'messages-from-newest'],
    ['v0.0.20', 'messages-and-results-from-newest'],
    ['main', 'shrink-oldest-turns'],
  ],
  tokenizerKeepsBothSides: [
    [FIRST, false],
    ['v0.0.20', true],
  ],
  countsCalls: [
    [FIRST, false],
    ['main', true],
  ],

  maxModelCalls: [
    [FIRST, 8],
    ['v0.0.20', 20],
  ],
  agentSystemMessage: [
    [FIRST, 'every-call'],
    ['v0.0.16', 'once-unless-default'],
    ['v0.0.20', 'once'],
  ],
  addsEmptySystemMessage: [
    [FIRST, true],
    // Between v0.0.7 and v0.0.13.
    ['v0.0.8', false],
  ],
  agentWithoutMessages: [
    [FIRST, 'index-error'],
    ['v0.0.20', 'allowed'],
  ],
  reEmitsAtEnd: [
    [FIRST, false],
    ['v0.0.8', true],
  ],
  argumentReader: [
    [FIRST, 'legacy'],
    ['v0.0.8', 'lenient'],
  ],
  toolServiceErrorsPropagate: [
    [FIRST, false],
    ['v0.0.16', true],
  ],
  agentSeed: [
    [FIRST, false],
    ['v0.0.10', true],
  ],
  toolSchemaCheck: [
    [FIRST, 'none'],
    ['v0.0.8', 'when-built'],
  ],

  documentTypes: [
    [FIRST, ['pdf', 'docx', 'pptx', 'txt', 'html']],
    // Between v0.0.7 and v0.0.13.
    ['v0.0.8', ['pdf', 'docx', 'pptx', 'txt', 'html', 'csv', 'tsv', 'xlsx', 'xls']],
  ],
  knowledgeReader: [
    [FIRST, 'json5'],
    ['v0.0.14', 'strict'],
  ],
  knowledgeIntoItems: [
    [FIRST, 'characters'],
    ['v0.0.16', 'one-item'],
  ],
  defaultKeywordStrategy: [
    [FIRST, 'SplitQueryThenGenKeyword'],
    ['v0.0.14', 'GenKeyword'],
  ],
  keywordStopsAtNewlineToo: [
    [FIRST, true],
    ['v0.0.11', false],
  ],
  memoryModel: [
    [FIRST, 'own'],
    ['v0.0.16', 'qwen-turbo-latest'],
    ['v0.0.22', 'qwen-turbo-for-reasoning-models'],
  ],

  chatmlStripsContents: [
    [FIRST, true],
    ['v0.0.10', false],
  ],
  chatmlAllowsSpecial: [
    [FIRST, false],
    // Between v0.0.7 and v0.0.13, as the vectors show.
    ['v0.0.10', true],
  ],
  chatmlSystem: [
    [FIRST, 'always'],
    ['v0.0.24', 'when-present'],
  ],
}

/** The differences as they are in one version. Unknown names give `null`. */
export function profileNamed(name: string): Profile | null {
  const short = name.startsWith('qwen-agent@') ? name.slice('qwen-agent@'.length) : name
  return PROFILES.get(short) ?? null
}

/** Each difference as the numbers of the releases at which its values began, oldest first, with these values. */
const ROWS: readonly (readonly [string, readonly (readonly [number, unknown])[]])[] = Object.entries(HISTORY).map(
  ([key, history]) => [key, history.map(([since, value]) => [ordinal(since), value] as const)],
)

/** All profiles, newest first. */
export const PROFILES: ReadonlyMap<string, Profile> = new Map(PROFILE_NAMES.map((name) => [name, profileAt(name)]))

function profileAt(name: ProfileName): Profile {
  const at = ordinal(name)
  const profile: Record<string, unknown> = { name }
  for (const [key, values] of ROWS) profile[key] = valueAt(values, at)
  return profile as unknown as Profile
}

function valueAt(values: readonly (readonly [number, unknown])[], at: number): unknown {
  const last = values.findLast(([since]) => since <= at)
  if (last === undefined) throw new Error(`callspec: a difference has no value at release ${at}`)
  return last[1]
}

/** `v0.0.26` is 26, `main` comes after every release. */
function ordinal(version: string): number {
  return version === 'main' ? Infinity : Number(version.slice('v0.0.'.length))
}
