// tidy: long because it is one table of all public functions
import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as core from './everything.ts'
import * as reference from './raising.ts'
import type { LoopReducer, Step } from '@callspec/qwen-agent'
import type { Message, Profile } from '@callspec/core/qwen-agent'
import type { Outcome } from './everything.ts'
import { modelOf, tool } from '../../../qwen-agent/test/agents/helpers.ts'
import { CODE_POINTS } from '../../../core/test/helpers/code-points.ts'
import { markerSoup } from '../../../core/test/formats/helpers.ts'
import { alice, ALICE, version } from '../../../metagpt/test/helpers.ts'

/**
 * The public entry: its names, that no text of a model makes it throw, and that wrong data of a caller is named.
 *
 * Texts are made of the formats' markers, JSON and its ruins, Python literals, lone surrogates and any characters, at most
 * 14 pieces; and a fixed list of hostile ones.
 */

const profiles = [...core.PROFILES.values()]
const profileOf = fc.constantFrom(...profiles)

const HOSTILE = [
  '',
  '['.repeat(10_000),
  '{"a":'.repeat(10_000),
  `<tool_call>{"name": "a", "arguments": ${'['.repeat(5_000)}${']'.repeat(5_000)}}</tool_call>`,
  `<tool_call>{"name": "a", "arguments": ${'9'.repeat(5_000)}}</tool_call>`,
  `0x${'f'.repeat(5_000)}`,
  `[0x${'f'.repeat(5_000)}]`,
  `{"directory": [{"a": [0x${'f'.repeat(5_000)}]}], "title": 0x${'f'.repeat(5_000)}}`,
  'http://[',
  'http://[::1',
  '{0}',
  '{name',
  '\ud800',
  '\0',
]

const modelText = fc.oneof(
  { weight: 8, arbitrary: markerSoup() },
  { weight: 1, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 1, arbitrary: fc.json() },
)

interface Given {
  readonly text: string
  readonly profile: Profile
  readonly flag: boolean
}

const given: fc.Arbitrary<Given> = fc.record({ text: modelText, profile: profileOf, flag: fc.boolean() })

const system: Message = { role: 'system', content: 'Be brief.' }
const question: Message = { role: 'user', content: 'What time is it?' }

/** A reply, as text, as items or as a call. */
function reply({ text, flag }: Given): Message {
  return { role: 'assistant', content: flag ? text : [{ text }] }
}

/** A history that holds what a model wrote in every place where it can stand. */
function history(one: Given): readonly Message[] {
  const call: Message = { role: 'assistant', content: one.text, function_call: { name: one.text, arguments: one.text } }
  const items = (content: string): Message['content'] => (one.flag ? content : [{ text: content }])
  return [
    system,
    { role: 'user', content: items('q') },
    { ...call, content: items(one.text) },
    { role: 'function', name: one.text, content: items(one.text) },
    { role: 'assistant', content: items(one.text) },
    { role: 'user', content: items(one.text) },
  ]
}

const clock = new Map<string, core.PyValue>([
  ['name', 'clock'],
  ['description', 'Tells the time.'],
  ['parameters', new Map()],
])

/** What a model wrote, read; null where it cannot be. */
function readValue(text: string): core.PyValue {
  const values = [core.loads(text), core.loadsJson5(text)]
  return values.map((read) => (read.kind === 'returned' ? read.value : null)).find((value) => value !== null) ?? text
}

function readDict(text: string): core.PyLiteralDict {
  const read = core.extractStruct(text, 'dict')
  return read.kind === 'returned' && core.isLiteralDict(read.value) ? read.value : new Map([[text, [text]]])
}

/** A model of the profile, or of main where the configuration is none of the profile's. */
function model({ profile, flag }: Given): core.ChatModel {
  const type = flag && profile.hasNous ? 'nous' : 'qwen'
  return modelOf(profile.name, profile.choosesFormat ? { generate_cfg: { fncall_prompt_type: type } } : {})
}

const AGENT_TOOLS = [tool('clock')]

/** Drives an agent with the same text as every reply and every result, at most 12 steps. */
function drive<State>(agent: LoopReducer<State>, one: Given): readonly unknown[] {
  const steps: Step<State>[] = [agent.start(history(one))]
  for (let step = steps[0]; step !== undefined && step.action.type !== 'finish' && steps.length < 12;) {
    step = agent.advance(
      step.state,
      step.action.type === 'generate'
        ? { type: 'completion', replies: [[{ role: 'assistant', content: one.text }]] }
        : { type: 'tool-result', result: one.flag ? one.text : { json: readValue(one.text) } },
    )
    steps.push(step)
  }
  return steps.map(({ emissions }) => [...emissions])
}

function driveRole(one: Given, more: Partial<core.RoleConfig>): core.RoleStep {
  const config = alice(one.flag ? 'v0.8.2' : 'main', { maxSteps: 8, ...more })
  let step = core.startRole(config, core.newRole(config), one.text)
  while (step.action.type !== 'finish') step = core.advanceRole(config, step.state, roleEvent(step.action, one))
  return step
}

function roleEvent(action: core.RoleAction, { text }: Given): core.RoleEvent {
  switch (action.type) {
    case 'run-action':
      return { type: 'action-result', result: { kind: 'structured', content: text, instructContent: readDict(text) } }
    case 'run-task':
      return { type: 'task-result', result: { code: text, result: text, isSuccess: false } }
    case 'ask-human':
      return { type: 'human-answer', text }
    default:
      return { type: 'completion', text }
  }
}

/** Every public function that model text can reach, with the text in every place where it can be. */
const ON_TEXT: { readonly [name: string]: (one: Given) => unknown } = {
  assistantAgent: (one) =>
    drive(core.assistantAgent({ model: model(one), knowledge: one.text, tools: AGENT_TOOLS }), one),
  fnCallAgent: (one) => drive(core.fnCallAgent({ model: model(one), tools: AGENT_TOOLS }), one),
  keywordAgent: (one) =>
    core.KEYWORD_STRATEGIES.map((strategy) => drive(core.keywordAgent({ model: model(one), strategy }), one)),
  memoryAgent: (one) => drive(core.memoryAgent({ model: model(one), files: ['a.pdf', one.text] }), one),
  reactAgent: (one) => drive(core.reactAgent({ model: model(one), tools: AGENT_TOOLS }), one),
  advanceRole: (one) => [
    driveRole(one, {}),
    driveRole(one, { mode: 'plan_and_act' }),
    driveRole(one, {
      actions: [
        { kind: 'host', name: 'Foo', classPath: 'app.Foo' },
        { kind: 'instruction', instruction: one.text },
      ],
    }),
    driveRole(one, core.tutorialAssistant({ version: version('v0.8.1'), folder: one.text })),
  ],
  agentToolDefinition: ({ text, profile }) =>
    core.agentToolDefinition(tool(text, { parameters: readValue(text) }), profile),
  baseName: ({ text }) => core.baseName(text),
  beginRun: (one) => core.beginRun({ model: model(one) }, history(one)),
  buildReactPrompt: (one) =>
    core.buildReactPrompt({ messages: history(one), tools: [clock], language: 'auto', profile: one.profile }),
  callPythonText: ({ text }) => core.callPythonText({ name: text, arguments: text }),
  chaptersOf: ({ text }) => core.chaptersOf(readDict(text)),
  checkTool: ({ text, profile }) =>
    core.checkTool(tool(text, { parameters: readValue(text) }), { profile, validator: ANY_SCHEMA }),
  className: ({ text }) => core.className(readDict(text)),
  contentPrompt: ({ text }) => core.contentPrompt(text, { language: text, directory: readDict(text) }),
  countTokens: (one) => history(one).map((message) => core.countTokens(message, budget(one))),
  createChatModel: ({ text, profile }) => {
    const cfg = new Map([
      [
        'generate_cfg',
        new Map([
          ['stop', readValue(text)],
          ['fncall_prompt_type', text],
        ]),
      ],
    ])
    return core.createChatModel({ profile, tokenizer: CODE_POINTS, cfg })
  },
  createStateParser: ({ text }) => {
    const parser = core.createStateParser()
    parser.push(text)
    return parser.snapshot()
  },
  decideRetry: ({ text }) =>
    core.decideRetry(core.FIRST_ATTEMPT, { type: text, message: text, code: text }, { maxRetries: 1, random: 0 }),
  describeTool: ({ text }) => core.describeTool(new Map([...clock, ['parameters', readValue(text)]]), { lang: 'en' }),
  detectLanguage: (one) => core.detectLanguage(history(one)),
  detectCall: (one) => core.detectCall(reply(one)),
  detectTool: ({ text }) => core.detectTool(text),
  _detectTool: ({ text }) => core._detectTool(text),
  directoryPrompt: ({ text }) => core.directoryPrompt(text, { language: text }),
  documentLiteral: ({ text }) => core.documentLiteral({ topic: text, mainTitle: text, document: text, halves: [1] }),
  dumpContent: (one) => core.dumpContent(reply(one).content),
  dumpMessages: (one) => core.dumpMessages(history(one), one.profile),
  dumps: ({ text, flag }) => core.dumps(readValue(text), { indent: flag ? 2 : null, ensureAscii: flag }),
  dumpWithKnowledge: (one) => core.dumpWithKnowledge(history(one), one.text, one.profile),
  extractCode: ({ text }) => core.extractCode(text),
  extractFn: ({ text, profile }) => core.extractFn(text, profile),
  extractState: ({ text }) => core.extractState(text),
  extractStruct: ({ text, flag }) => core.extractStruct(text, flag ? 'dict' : 'list'),
  extractText: (one) => core.extractText(reply(one), { profile: one.profile }),
  fill: ({ text }) => [core.fill(text, { name: text }), core.fill('{name}', { name: readValue(text) })],
  finishReply: (one) => prepared(one).map((chat) => core.finishReply(chat, [reply(one)])),
  formatKnowledge: ({ text, profile }) => core.formatKnowledge(text, profile),
  formatToolResult: ({ text }) => core.formatToolResult({ json: readValue(text) }),
  growReactPrompt: ({ text }) =>
    core.growReactPrompt(text, { thought: text, action: text, actionInput: text, observation: text }),
  hasChinese: ({ text }) => core.hasChinese(text),
  historyText: ({ text }) => core.historyText(roleMessages(text)),
  identifyReply: ({ text }) => core.identifyReply(text, { tools: [clock] }),
  otherReadings: ({ text }) => core.FORMATS.map((format) => core.otherReadings(format, text)),
  knowledgePrompt: ({ text, profile }) => core.knowledgePrompt(core.formatKnowledge(text, profile), 'en'),
  loads: ({ text }) => core.loads(text),
  loadsJson5: ({ text }) => core.loadsJson5(text),
  loadsLenient: ({ text, flag }) => core.loadsLenient(text, flag ? 'legacy' : 'lenient'),
  lstrip: ({ text }) => core.lstrip(text),
  mergeContinuation: (one) => core.mergeContinuation(history(one).slice(1, -1)),
  mergeGenerateCfg: ({ text }) =>
    core.mergeGenerateCfg(new Map([['stop', readValue(text)]]), new Map([['stop', text]])),
  messageText: ({ text }) => roleMessages(text).map(core.messageText),
  nousPostprocessFncallMessages: (one) => core.nousPostprocessFncallMessages(replyRequest(one)),
  nousPreprocessFncallMessages: (one) => core.nousPreprocessFncallMessages(promptRequest(one)),
  observationText: ({ text }) => core.observationText(text),
  openAiReplies: ({ text, profile }) => [
    ...core.openAiReplies(
      [{ content: text, reasoning_content: text }, { tool_calls: [{ id: text, function: { name: text } }] }, {}],
      profile,
    ),
  ],
  openAiReply: ({ text, profile }) => core.openAiReply({ content: text, reasoning_content: text }, profile),
  openChatCall: (one) => {
    const call = core.openChatCall(model(one), { messages: history(one), functions: [clock] })
    return [call, call.kind === 'returned' ? call.value.finish([reply(one)]) : null]
  },
  planCode: ({ text, flag }) => core.planCode(text, version(flag ? 'main' : 'v0.8.1')),
  planPrompt: ({ text, flag }) => core.planPrompt(roleMessages(text), version(flag ? 'main' : 'v0.8.1')),
  postprocessFncallMessages: (one) => core.postprocessFncallMessages(one.flag ? 'qwen' : 'nous', replyRequest(one)),
  preprocessFncallMessages: (one) => core.preprocessFncallMessages(one.flag ? 'qwen' : 'nous', promptRequest(one)),
  postprocessStopWords: (one) =>
    core.postprocessStopWords([reply(one)], { stop: ['✿RESULT✿', '\n'], tokenizer: CODE_POINTS, profile: one.profile }),
  prepareChat: (one) => core.prepareChat(model(one), { messages: history(one), functions: [clock] }),
  pyIndex: ({ text }) => core.pyIndex(text, text.length),
  pyLength: ({ text }) => core.pyLength(text),
  pySlice: ({ text }) => core.pySlice(text, -3, -1),
  pythonText: (one) => core.pythonText(reply(one).content),
  qwenPostprocessFncallMessages: (one) => core.qwenPostprocessFncallMessages(replyRequest(one)),
  qwenPreprocessFncallMessages: (one) => core.qwenPreprocessFncallMessages(promptRequest(one)),
  readLiteral: ({ text }) => core.readLiteral(text),
  readMessage: ({ text, profile }) => core.readMessage(readValue(text), profile),
  removeFncallMessages: (one) => core.removeFncallMessages(history(one), { language: 'en', profile: one.profile }),
  removeIncompleteSpecialTokens: ({ text }) => core.removeIncompleteSpecialTokens(text),
  removeTrailingComment: ({ text }) => core.removeTrailingComment(text),
  renderChatML: (one) => core.renderChatML(history(one), { profile: one.profile, allowSpecial: one.flag }),
  renderTrainSample: (one) =>
    core.renderTrainSample({
      messages: history(one),
      functions: [clock],
      lang: 'auto',
      parallelFunctionCalls: one.flag,
      profile: one.profile,
    }),
  repr: ({ text }) => core.repr(readValue(text)),
  rolePrefix: ({ text }) => core.rolePrefix({ ...ALICE, goal: text, constraints: text }, null, version('main')),
  rstrip: ({ text }) => core.rstrip(text),
  statePrompt: ({ text }) =>
    core.statePrompt({ prefix: text, memory: roleMessages(text), states: [text], previousState: -1 }),
  str: ({ text }) => core.str(readValue(text)),
  strip: ({ text }) => core.strip(text),
  think: (one) => {
    const config = alice('main')
    return core.think(config, core.deliver(core.newRole(config), core.roleMessage({ content: one.text }, 1)))
  },
  toMultimodal: (one) => history(one).map((message) => core.toMultimodal(message, notes(one))),
  toolFailureText: ({ text, profile }) =>
    core.toolFailureText(text, { type: text, message: text, traceback: text }, profile),
  toPlain: ({ text }) => core.toPlain(readValue(text)),
  toText: (one) => history(one).map((message) => core.toText(message, notes(one))),
  toWireMessages: (one) => core.toWireMessages(history(one), one.profile),
  toWireParameters: ({ text }) =>
    core.toWireParameters(
      new Map([
        ['extra_body', readValue(text)],
        ['top_k', text],
      ]),
    ),
  truncate: (one) => core.truncate(one.text, { ...budget(one), keepBothSides: one.flag }),
  truncateInputMessages: (one) => core.truncateInputMessages(history(one), budget(one)),
  truthy: ({ text }) => core.truthy(readValue(text)),
  unknownToolText: ({ text }) => core.unknownToolText(text),
  validateFncallResults: (one) =>
    core.validateFncallResults(history(one).slice(0, 4), { profile: one.profile, multimodal: one.flag }),
  validState: ({ text }) => core.validState(text, 3),
  verifyToolArguments: ({ text, profile, flag }) =>
    core.verifyToolArguments(tool('clock'), text, { profile, validator: ANY_SCHEMA, strictJson: flag }),
  wireRequest: (one) => prepared(one).map((chat) => core.wireRequest(chat)),
  withKnowledge: (one) => core.withKnowledge(history(one), one.text, one.profile),
}

/** Public functions that no text of a model reaches, or that others above go through. */
const NOT_ON_TEXT = [
  'versionFor',
  ...['actionName', 'composeMessage', 'currentTask', 'deliver', 'InputError', 'isAddressedTo'],
  ...[
    'isDict',
    'isFncallName',
    'isList',
    'isLiteralDict',
    'isLiteralList',
    'isTagged',
    'metagptProfileNamed',
    'newRole',
    'profileNamed',
  ],
  ...['publishTo', 'roleAddresses', 'roleMessage', 'structErrorPrefix'],
  ...['taskDict', 'tutorialAssistant', 'dumpMessage', 'fromPlain', 'memoryModel', 'partialStopWords'],
  ...['guessModel', 'modelAliases', 'parserNames', 'deltaStream', 'snapshotStream', 'tekkenFormats'],
  ...[
    'callsOf',
    'foldEvents',
    'formatNamed',
    'grammarFormat',
    'grammarParts',
    'isStrict',
    'joinParts',
    'loadFormat',
    'promptFrame',
    'replyOf',
    'tokensInText',
    'toolsInSystem',
    'typeValueBySchema',
  ],
  ...['mostOften', 'outcomeOfReply', 'replyDeltas', 'replyOfOutcome'],
  ...['nousTemplate', 'qwenTemplate', 'readAgentTool', 'readMessages', 'readTools', 'toolsByName'],
  'startRole',
]

const ANY_SCHEMA: core.SchemaValidator = { isSchema: () => true, violation: () => null }

function budget({ profile, flag }: Given): core.TruncateMessagesOptions {
  return { maxTokens: flag ? 10 : 40, tokenizer: CODE_POINTS, profile }
}

function notes({ profile, flag }: Given): core.MultimodalOptions {
  return { profile, addUpload: true, addMultimodalUpload: flag, addAudioUpload: flag, language: 'auto' }
}

function roleMessages(text: string): readonly core.RoleMessage[] {
  return [
    core.roleMessage({ content: text }, 1),
    core.roleMessage({ content: text, instructContent: readDict(text) }, 2),
  ]
}

function promptRequest(one: Given): core.PreprocessRequest {
  const items = history(one).map((message) => core.toMultimodal(message, notes(one)))
  const messages = items.flatMap((message) => (message.kind === 'returned' ? [message.value] : []))
  return { messages, functions: [clock], lang: 'en', codeMode: one.flag, profile: one.profile }
}

function replyRequest(one: Given): core.PostprocessRequest {
  const { flag, profile } = one
  return { messages: [reply(one)], parallelFunctionCalls: flag, codeMode: flag, thoughtInContent: flag, profile }
}

function prepared(one: Given): readonly core.PreparedChat[] {
  const chat = core.prepareChat(model(one), { messages: [system, question], functions: [clock] })
  return chat.kind === 'returned' ? [chat.value] : []
}

/** Both forms of one function. */
interface Pair {
  readonly name: string
  readonly total: (one: Given) => Outcome<unknown>
  readonly raising: (one: Given) => unknown
}

const PAIRS: readonly Pair[] = [
  { name: 'loads', total: ({ text }) => core.loads(text), raising: ({ text }) => reference.loads(text) },
  {
    name: 'readLiteral',
    total: ({ text }) => core.readLiteral(text),
    raising: ({ text }) => reference.readLiteral(text),
  },
  { name: 'baseName', total: ({ text }) => core.baseName(text), raising: ({ text }) => reference.baseName(text) },
]

/** What makes and reads raises. */
const RAISES = ['Raise', 'attempt', 'errorOf', 'serviceError']

/** What a package beside core writes and reads with. */
const SHARED = [
  ...['FNCALL_FUNCTIONS', 'THOUGHT', 'TOOL_CALL_CLOSE', 'TOOL_CALL_OPEN', 'itemsText', 'typeAndValue'],
  ...['checkLanguage', 'checkProfile', 'givenMessage', 'givenMessages', 'givenTools', 'withName'],
]

/** The entries of the packages that rebuild a reference, by the name of their list. */
const ENTRIES = [
  ['core', 'core/src/index.ts'],
  ['core.formats', 'core/src/formats.ts'],
  ['core.grammar', 'core/src/grammar.ts'],
  ['core.identify', 'core/src/identify.ts'],
  ['core.qwen-agent', 'core/src/qwen-agent.ts'],
  ['core.reference', 'core/src/reference.ts'],
  ['metagpt', 'metagpt/src/index.ts'],
  ['metagpt.reference', 'metagpt/src/reference.ts'],
  ['python', 'python/src/index.ts'],
  ['qwen-agent', 'qwen-agent/src/index.ts'],
  ['qwen-agent.reference', 'qwen-agent/src/reference.ts'],
] as const

const functions = Object.entries(core).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []))

describe('the public entry', () => {
  it.each(ENTRIES)('of %s has these names and no others', async (name, path) => {
    await expect(namesIn(path)).toMatchFileSnapshot(`names/${name}.txt`)
  })

  it('has every function of the other one, apart from what makes and reads raises', () => {
    const missing = Object.keys(reference).filter((name) => !(name in core))

    expect(missing.toSorted()).toEqual([...RAISES, ...SHARED].toSorted())
  })

  it('shares no function with the other one', () => {
    expect(Object.entries(reference).filter(([name, value]) => Reflect.get(core, name) === value)).toEqual([])
  })

  it('has only functions that are listed here', () => {
    expect(functions.toSorted()).toEqual([...Object.keys(ON_TEXT), ...NOT_ON_TEXT].toSorted())
  })
})

describe('text of a model', () => {
  it.each(Object.entries(ON_TEXT))('never makes %s throw', (_name, call) => {
    fc.assert(
      fc.property(given, (one) => {
        call(one)
      }),
      { numRuns: 150 },
    )
  })

  it.each(Object.entries(ON_TEXT))('does not make %s throw when it is hostile', (_name, call) => {
    for (const profile of profiles) {
      for (const text of HOSTILE) for (const flag of [false, true]) call({ text, profile, flag })
    }
  })

  it.each(core.FORMATS)('never makes a reader of $id throw', (format) => {
    fc.assert(
      fc.property(given, fc.constantFrom(...format.versions), ({ text, flag }, version) => {
        const reader = format.createReader({ version, parallelCalls: flag, thoughtInContent: flag })
        const events = [...text].flatMap((piece) => reader.push(piece))
        const reply = core.replyOf([...events, ...reader.end()])

        expect(reply).toEqual(format.read(text, { version, parallelCalls: flag, thoughtInContent: flag }))
        format.write(reply.items)
      }),
      { numRuns: 150 },
    )
  })

  it.each(Object.values(core.formats))('never makes the parse of $id throw', (format) => {
    fc.assert(
      fc.property(given, fc.constantFrom(...format.profiles), ({ text, flag }, profile) => {
        const outcome = format.parse(text, { profile, codeMode: flag, parallelCalls: flag, stopWords: 'default' })

        expect(['parsed', 'rejected']).toContain(outcome.kind)
      }),
    )
  })

  it.each(PAIRS)('gives the outcome of the raising form: $name', ({ total, raising }) => {
    fc.assert(
      fc.property(given, (one) => {
        expect(total(one)).toEqual(reference.attempt(() => raising(one)))
      }),
    )
  })
})

function namesIn(path: string): string {
  const text = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
  const blocks = Array.from(text.matchAll(/^export (type )?\{([^}]*)\} from/gm), ([, type = '', names = '']) =>
    names.split(',').flatMap((name) => (name.trim() === '' ? [] : [type + (name.trim().split(' as ').at(-1) ?? '')])),
  )
  return `${blocks.flat().toSorted().join('\n')}\n`
}
