/*
 * Qwen-Agent beyond its formats: the chat call, truncation and the agents as reducers. What can raise in the reference
 * answers with an `Outcome`; the raising forms are in `reference.ts`.
 */
export type { AgentConfig, AgentRun } from './agents/agent.ts'
export { advanceAssistant } from './agents/assistant.ts'
export type { AssistantConfig, AssistantState } from './agents/assistant.ts'
export { advanceFnCall } from './agents/fncall-agent.ts'
export type { FnCallState } from './agents/fncall-agent.ts'
export { KEYWORD_STRATEGIES, advanceKeywords } from './agents/keyword-agent.ts'
export type { KeywordConfig, KeywordState, KeywordStrategy } from './agents/keyword-agent.ts'
export { formatKnowledge } from './agents/knowledge.ts'
export type { KnowledgeEntry } from './agents/knowledge.ts'
export { VOCABULARY_TOOL } from './agents/vocabulary.ts'
export { RETRIEVAL_TOOL, advanceMemory } from './agents/memory-agent.ts'
export type { MemoryConfig, MemoryState } from './agents/memory-agent.ts'
export { memoryModel } from './agents/memory-model.ts'
export { advanceReact } from './agents/react-agent.ts'
export type { ReactState } from './agents/react-agent.ts'
export { verifyToolArguments } from './agents/tool-arguments.ts'
export type { ArgumentOptions, SchemaValidator } from './agents/tool-arguments.ts'
export { unknownToolText } from './agents/tool-result.ts'
export { openChatCall } from './chat/chat-call.ts'
export type { ChatCall, ChatCallModel, ChatCallRequest } from './chat/chat-call.ts'
export type { Continuation } from './chat/continued.ts'
export type { ChatModel, ChatModelOptions } from './chat/model.ts'
export type { ChatRequest, PreparedChat } from './chat/prepare.ts'
export { openAiReply } from './chat/replies.ts'
export type { ReplyChunk, ToolCallDelta } from './chat/replies.ts'
export type { WireRequest } from './chat/wire-request.ts'
export { toWireParameters } from './chat/wire.ts'
export type { ChatMLOptions } from './chatml.ts'
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
export {
  beginRun,
  checkTool,
  dumpWithKnowledge,
  formatToolResult,
  knowledgePrompt,
  toolFailureText,
  withKnowledge,
} from './outcome/agents.ts'
export {
  createChatModel,
  finishReply,
  mergeGenerateCfg,
  openAiReplies,
  prepareChat,
  toWireMessages,
  wireRequest,
} from './outcome/chat.ts'
export { renderChatML, renderTrainSample } from './outcome/formats.ts'
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
} from './outcome/loops.ts'
export { countTokens, mergeContinuation, truncateInputMessages, validateFncallResults } from './outcome/messages.ts'
export { FIRST_ATTEMPT, canRetry, decideRetry } from './retry.ts'
export type { RetryDecision, RetryOptions, RetryState } from './retry.ts'
export { truncate } from './tokenizer-truncate.ts'
export type { TruncateOptions } from './tokenizer-truncate.ts'
export type { TrainSampleRequest } from './train-sample.ts'
export type { TruncateMessagesOptions } from './truncate/index.ts'
export type { ValidateResultsOptions } from './validate-fncall-results.ts'
