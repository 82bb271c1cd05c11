/*
 * The public functions. One rule: what can raise in the reference, or in Python, answers with an `Outcome`; what throws
 * is an `InputError` for wrong data of the caller. The raising forms are in `reference.ts`.
 */
export { fromPlain, isDict, isList, toPlain, truthy } from './python/value.ts'
export type { PlainValue, PyDict, PyList, PyValue } from './python/value.ts'
export type { Outcome, ReferenceError } from './raise.ts'
export { InputError } from './input-error.ts'
export type {
  Content,
  ContentItem,
  FunctionCall,
  ItemMessage,
  Message,
  Role,
  TextMessage,
  ToolDefinition,
} from './message.ts'
export { PROFILE_NAMES, profileNamed, PROFILES } from './profile.ts'
export type { FormatName, Profile, ProfileName } from './profile.ts'
export type { Tokenizer } from './tokenizer.ts'
export { FORMATS, formatNamed } from './formats/index.ts'
export type { Format, FormatAbout, FormatMarkers, FormatStops, FormatTraits } from './format/format.ts'
export { grammarFormat } from './format/grammar-format.ts'
export { promptFrame } from './format/prompt-frame.ts'
export type { PromptFrame } from './format/prompt-frame.ts'
export { outcomeOfReply, replyOfOutcome } from './format/reference-format.ts'
export type { GrammarFormat } from './format/grammar-format.ts'
export type { ItemSpelling, WriteCall } from './format/write-items.ts'
export type { BodyCall, Exit, Grammar, GrammarState, ReadName, StateKind, ValuePlace } from './grammar/grammar.ts'
export { typeValueBySchema } from './grammar/type-value.ts'
export type { TypingRules } from './grammar/type-value.ts'
export { joinParts } from './conversation/conversation.ts'
export type { Conversation, PromptOutcome, PromptPart } from './conversation/conversation.ts'
export { callsOf, isStrict } from './reply/item.ts'
export type { CallItem, IssueItem, IssueWeight, ReasoningItem, ReplyItem, TextItem } from './reply/item.ts'
export { foldEvents, replyOf } from './reply/event.ts'
export type { ReplyEvent, ReplyFold } from './reply/event.ts'
export type { ReadOptions } from './reply/read-options.ts'
export { replyDeltas } from './reply/reply-deltas.ts'
export type { ReplyDeltaOptions, ReplyDeltas } from './reply/reply-deltas.ts'
export type { ReplyReader } from './reply/reader.ts'
export type { Reply } from './reply/reply.ts'
export { identifyReply } from './identify/identify-reply.ts'
export { mostOften } from './identify/most-often.ts'
export type { IdentifiedReplies } from './identify/most-often.ts'
export type { IdentifiedReply, IdentifyOptions, RankedFormat } from './identify/identify-reply.ts'
export { readMessages } from './qwen-agent/read-message.ts'
export { dumpContent, dumpMessage, dumpMessages } from './qwen-agent/dump-message.ts'
export type { MultimodalOptions, NoteLanguage, TextOptions } from './qwen-agent/multimodal.ts'
export type { RemoveCallsOptions } from './qwen-agent/remove-fncall-messages.ts'
export type { ValidateResultsOptions } from './qwen-agent/validate-fncall-results.ts'
export { detectLanguage } from './qwen-agent/message-language.ts'
export { callPythonText } from './qwen-agent/python-text.ts'
export type { ChatModel, ChatModelOptions } from './qwen-agent/chat/model.ts'
export type { ChatRequest, PreparedChat } from './qwen-agent/chat/prepare.ts'
export { openAiReply } from './qwen-agent/chat/replies.ts'
export type { ReplyChunk, ToolCallDelta } from './qwen-agent/chat/replies.ts'
export { truncate } from './tokenizer-truncate.ts'
export type { TruncateOptions } from './tokenizer-truncate.ts'
export { strip, lstrip, rstrip } from './python/strip.ts'
export { pyIndex, pyLength, pySlice } from './python/text.ts'
export type { DumpsOptions } from './python/dumps.ts'
export { className, isLiteralDict, isLiteralList, isTagged } from './python/literal-value.ts'
export type {
  PyBytes,
  PyCodePoints,
  PyComplex,
  PyEllipsis,
  PyLiteral,
  PyLiteralDict,
  PySet,
  PyTagged,
  PyTuple,
} from './python/literal-value.ts'
export { hasChinese } from './python/language.ts'
export { extractCode } from './python/code.ts'
export type {
  CallToolAction,
  Emissions,
  FinishAction,
  FinishReason,
  GenerateAction,
  LoopAction,
  LoopEvent,
  LoopReducer,
  Step,
  ToolFailure,
  ToolResult,
} from './loop.ts'
export type { AgentConfig, AgentRun } from './qwen-agent/agents/agent.ts'
export { readAgentTool, toolsByName } from './qwen-agent/agents/agent-tool.ts'
export type { AgentTool } from './qwen-agent/agents/agent-tool.ts'
export { advanceFnCall } from './qwen-agent/agents/fncall-agent.ts'
export type { FnCallState } from './qwen-agent/agents/fncall-agent.ts'
export { advanceAssistant } from './qwen-agent/agents/assistant.ts'
export type { AssistantConfig, AssistantState } from './qwen-agent/agents/assistant.ts'
export { advanceReact } from './qwen-agent/agents/react-agent.ts'
export type { ReactState } from './qwen-agent/agents/react-agent.ts'
export { formatKnowledge } from './qwen-agent/agents/knowledge.ts'
export type { KnowledgeEntry } from './qwen-agent/agents/knowledge.ts'
export { advanceKeywords, KEYWORD_STRATEGIES } from './qwen-agent/agents/keyword-agent.ts'
export type { KeywordConfig, KeywordState, KeywordStrategy } from './qwen-agent/agents/keyword-agent.ts'
export { advanceMemory, RETRIEVAL_TOOL } from './qwen-agent/agents/memory-agent.ts'
export type { MemoryConfig, MemoryState } from './qwen-agent/agents/memory-agent.ts'
export { memoryModel } from './qwen-agent/agents/memory-model.ts'
export { verifyToolArguments } from './qwen-agent/agents/tool-arguments.ts'
export type { ArgumentOptions, SchemaValidator } from './qwen-agent/agents/tool-arguments.ts'
export { unknownToolText } from './qwen-agent/agents/tool-result.ts'
export { canRetry, decideRetry, FIRST_ATTEMPT } from './qwen-agent/retry.ts'
export type { RetryDecision, RetryOptions, RetryState } from './qwen-agent/retry.ts'
export type { TruncateMessagesOptions } from './qwen-agent/truncate/index.ts'
export { toWireParameters } from './qwen-agent/chat/wire.ts'
export { openChatCall } from './qwen-agent/chat/chat-call.ts'
export type { ChatCall, ChatCallModel, ChatCallRequest } from './qwen-agent/chat/chat-call.ts'
export type { Continuation } from './qwen-agent/chat/continued.ts'
export type { WireRequest } from './qwen-agent/chat/wire-request.ts'
export type {
  AssistantMessage,
  BuiltInFormat,
  FncallFormat,
  FormatTokens,
  Issue,
  IssueCode,
  ParseOptions,
  ParseOutcome,
  PostprocessRequest,
  PreprocessRequest,
  PromptFormat,
  PromptMessage,
  RenderRequest,
  RenderToolsRequest,
  Settled,
  StreamOptions,
  StreamParser,
  ToolChoice,
  ToolSpec,
} from './format.ts'
export { bufferThenParse } from './stream/buffer-then-parse.ts'
export { createDeltas } from './stream/deltas.ts'
export type { DeltaFields, DeltaOptions, Deltas, StreamDelta, StreamFinish, ToolCallPiece } from './stream/deltas.ts'
export { parserStream, snapshotStream } from './stream/parser-stream.ts'
export type { ParserStreamOptions, SnapshotStreamOptions, StreamedFormat } from './stream/parser-stream.ts'
export { formats } from './formats/index.ts'
export { removeIncompleteSpecialTokens, removeTrailingComment } from './formats/qwen/clean.ts'
export { qwen } from './formats/qwen/index.ts'
export { qwenTemplate } from './formats/qwen/templates.ts'
export { nous } from './formats/nous/index.ts'
export { extractFn } from './formats/nous/partial.ts'
export type { PartialCall } from './formats/nous/partial.ts'
export { nousTemplate } from './formats/nous/templates.ts'
export { react } from './formats/react/index.ts'
export type { ReactFormat } from './formats/react/index.ts'
export { detectTool } from './formats/react/detect-tool.ts'
export type { DetectedTool } from './formats/react/detect-tool.ts'
export { PROMPT as REACT_PROMPT } from './formats/react/templates.ts'
export { growReactPrompt, observationText } from './formats/react/prompt.ts'
export type { ReactPromptRequest, ReactStep } from './formats/react/prompt.ts'
export { partialStopWords } from './stop-words.ts'
export type { StopWordOptions } from './stop-words.ts'
export { readTools } from './tool-description.ts'
export type { ChatMLOptions } from './qwen-agent/chatml.ts'
export type { TrainSampleRequest } from './qwen-agent/train-sample.ts'
export {
  METAGPT_DEFAULT_PROFILE,
  METAGPT_PROFILE_NAMES,
  METAGPT_PROFILES,
  metagptProfileNamed,
} from './metagpt/profile.ts'
export type { MetagptProfile, MetagptProfileName } from './metagpt/profile.ts'
export { actionClassPath, actionName, stateLines } from './metagpt/action.ts'
export type { ActionResult, RoleTask } from './metagpt/action.ts'
export { isAddressedTo, publishTo } from './metagpt/environment.ts'
export type { Environment, EnvironmentMember } from './metagpt/environment.ts'
export { admissibleStates, extractState, validState } from './metagpt/extract-state.ts'
export type { ExtractedState } from './metagpt/extract-state.ts'
export { createStateParser } from './metagpt/state-parser.ts'
export type { StateParser } from './metagpt/state-parser.ts'
export { structErrorPrefix } from './metagpt/extract-struct.ts'
export type { StructType } from './metagpt/extract-struct.ts'
export { roleMessage } from './metagpt/message.ts'
export type { MessageFields, RoleMessage } from './metagpt/message.ts'
export { currentTask } from './metagpt/plan/plan.ts'
export type { Plan } from './metagpt/plan/plan.ts'
export { planCode } from './metagpt/plan/load-plan.ts'
export { structuralContext } from './metagpt/plan/plan-prompt.ts'
export { taskDict } from './metagpt/plan/task.ts'
export type { PlanTask, TaskResult } from './metagpt/plan/task.ts'
export { rolePrefix, roleSignature } from './metagpt/prefix.ts'
export type { RoleSetting, RoleSurroundings } from './metagpt/prefix.ts'
export { newRole, roleAddresses } from './metagpt/role.ts'
export type {
  RoleAction,
  RoleConfig,
  RoleEvent,
  RoleFinish,
  RoleFinishReason,
  RoleInput,
  RoleMode,
  RoleNote,
  RoleState,
  RoleStep,
} from './metagpt/role.ts'
export { advanceRole, composeMessage, deliver, startRole, think } from './metagpt/run-role.ts'
export type { Thought } from './metagpt/run-role.ts'
export type { StatePromptRequest } from './metagpt/state-prompt.ts'
export { tutorialAssistant } from './metagpt/tutorial/assistant.ts'
export type { TutorialOptions } from './metagpt/tutorial/assistant.ts'
export { directoryPrompt, TUTORIAL_SETTING } from './metagpt/tutorial/tutorial.ts'
export type { TutorialState } from './metagpt/tutorial/tutorial.ts'
export { baseName, dumps, fill, loads, loadsJson5, loadsLenient, readLiteral, repr, str } from './total/python.ts'
export {
  countTokens,
  extractText,
  mergeContinuation,
  pythonText,
  readMessage,
  removeFncallMessages,
  toMultimodal,
  toText,
  truncateInputMessages,
  validateFncallResults,
} from './total/messages.ts'
export {
  createChatModel,
  finishReply,
  mergeGenerateCfg,
  openAiReplies,
  prepareChat,
  toWireMessages,
  wireRequest,
} from './total/chat.ts'
export {
  agentToolDefinition,
  beginRun,
  checkTool,
  dumpWithKnowledge,
  formatToolResult,
  knowledgePrompt,
  toolFailureText,
  withKnowledge,
} from './total/agents.ts'
export {
  buildReactPrompt,
  describeTool,
  nousPostprocessFncallMessages,
  nousPreprocessFncallMessages,
  postprocessStopWords,
  qwenPostprocessFncallMessages,
  qwenPreprocessFncallMessages,
  renderChatML,
  renderTrainSample,
  toolNames,
} from './total/formats.ts'
export {
  chaptersOf,
  contentPrompt,
  extractStruct,
  historyText,
  instructionPrompt,
  messageText,
  planPrompt,
  statePrompt,
  tutorialPath,
} from './total/metagpt.ts'
export {
  assistantAgent,
  fnCallAgent,
  keywordAgent,
  memoryAgent,
  reactAgent,
  startAssistant,
  startFnCall,
  startKeywords,
  startMemory,
  startReact,
} from './total/loops.ts'
