export { fromPlain, isDict, isList, toPlain, truthy } from './python/value.ts'
export type { PlainValue, PyDict, PyList, PyValue } from './python/value.ts'
export { attempt, errorOf, Raise, serviceError } from './raise.ts'
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
export { readMessage, readMessages } from './qwen-agent/read-message.ts'
export { dumpContent, dumpMessage, dumpMessages } from './qwen-agent/dump-message.ts'
export { extractText, toMultimodal, toText } from './qwen-agent/multimodal.ts'
export type { MultimodalOptions, NoteLanguage, TextOptions } from './qwen-agent/multimodal.ts'
export { detectLanguage } from './qwen-agent/message-language.ts'
export { callPythonText, pythonText } from './qwen-agent/python-text.ts'
export { createChatModel } from './qwen-agent/chat/model.ts'
export type { ChatModel, ChatModelOptions } from './qwen-agent/chat/model.ts'
export { prepareChat } from './qwen-agent/chat/prepare.ts'
export type { ChatRequest, PreparedChat } from './qwen-agent/chat/prepare.ts'
export { finishReply } from './qwen-agent/chat/finish.ts'
export { openAiReplies, openAiReply } from './qwen-agent/chat/replies.ts'
export type { ReplyChunk, ToolCallDelta } from './qwen-agent/chat/replies.ts'
export { truncate } from './tokenizer-truncate.ts'
export type { TruncateOptions } from './tokenizer-truncate.ts'
export { strip, lstrip, rstrip } from './python/strip.ts'
export { pyIndex, pyLength, pySlice } from './python/text.ts'
export { dumps } from './python/dumps.ts'
export type { DumpsOptions } from './python/dumps.ts'
export { loads } from './python/json-loads.ts'
export { loadsJson5 } from './python/json5-loads.ts'
export { loadsLenient } from './python/lenient-loads.ts'
export { repr, str } from './python/repr.ts'
export { readLiteral } from './python/literal.ts'
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
export { fill } from './python/fill.ts'
export { hasChinese } from './python/language.ts'
export { baseName } from './python/base-name.ts'
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
export { beginRun } from './qwen-agent/agents/agent.ts'
export type { AgentConfig, AgentRun } from './qwen-agent/agents/agent.ts'
export { agentToolDefinition, readAgentTool, toolsByName } from './qwen-agent/agents/agent-tool.ts'
export type { AgentTool } from './qwen-agent/agents/agent-tool.ts'
export { advanceFnCall, fnCallAgent, startFnCall } from './qwen-agent/agents/fncall-agent.ts'
export type { FnCallState } from './qwen-agent/agents/fncall-agent.ts'
export { advanceAssistant, assistantAgent, startAssistant } from './qwen-agent/agents/assistant.ts'
export type { AssistantConfig, AssistantState } from './qwen-agent/agents/assistant.ts'
export { advanceReact, reactAgent, startReact } from './qwen-agent/agents/react-agent.ts'
export type { ReactState } from './qwen-agent/agents/react-agent.ts'
export { dumpWithKnowledge, formatKnowledge, knowledgePrompt, withKnowledge } from './qwen-agent/agents/knowledge.ts'
export type { KnowledgeEntry } from './qwen-agent/agents/knowledge.ts'
export { advanceKeywords, KEYWORD_STRATEGIES, keywordAgent, startKeywords } from './qwen-agent/agents/keyword-agent.ts'
export type { KeywordConfig, KeywordState, KeywordStrategy } from './qwen-agent/agents/keyword-agent.ts'
export { advanceMemory, memoryAgent, RETRIEVAL_TOOL, startMemory } from './qwen-agent/agents/memory-agent.ts'
export type { MemoryConfig, MemoryState } from './qwen-agent/agents/memory-agent.ts'
export { memoryModel } from './qwen-agent/agents/memory-model.ts'
export { checkTool, verifyToolArguments } from './qwen-agent/agents/tool-arguments.ts'
export type { ArgumentOptions, SchemaValidator } from './qwen-agent/agents/tool-arguments.ts'
export { formatToolResult, toolFailureText, unknownToolText } from './qwen-agent/agents/tool-result.ts'
export { canRetry, decideRetry, FIRST_ATTEMPT } from './qwen-agent/retry.ts'
export type { RetryDecision, RetryOptions, RetryState } from './qwen-agent/retry.ts'
export { mergeGenerateCfg } from './qwen-agent/merge-generate-cfg.ts'
export { removeFncallMessages } from './qwen-agent/remove-fncall-messages.ts'
export { mergeContinuation, truncateInputMessages, validateFncallResults } from './total/messages.ts'
export { countTokens } from './qwen-agent/truncate/index.ts'
export type { TruncateMessagesOptions } from './qwen-agent/truncate/index.ts'
export { toWireMessages, toWireParameters } from './qwen-agent/chat/wire.ts'
export { openChatCall } from './qwen-agent/chat/chat-call.ts'
export type { ChatCall, ChatCallModel, ChatCallRequest } from './qwen-agent/chat/chat-call.ts'
export type { Continuation } from './qwen-agent/chat/continued.ts'
export { wireRequest } from './qwen-agent/chat/wire-request.ts'
export type { WireRequest } from './qwen-agent/chat/wire-request.ts'
export type {
  AssistantMessage,
  BuiltInFormat,
  FncallFormat,
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
  ToolChoice,
  ToolSpec,
} from './format.ts'
export { formats } from './formats/index.ts'
export { removeIncompleteSpecialTokens, removeTrailingComment } from './formats/qwen/clean.ts'
export { qwen } from './formats/qwen/index.ts'
export { qwenPostprocessFncallMessages } from './formats/qwen/parse.ts'
export { qwenPreprocessFncallMessages } from './formats/qwen/render.ts'
export { qwenTemplate } from './formats/qwen/templates.ts'
export { nous } from './formats/nous/index.ts'
export { nousPostprocessFncallMessages } from './formats/nous/parse.ts'
export { extractFn } from './formats/nous/partial.ts'
export type { PartialCall } from './formats/nous/partial.ts'
export { nousPreprocessFncallMessages } from './formats/nous/render.ts'
export { nousTemplate } from './formats/nous/templates.ts'
export { react } from './formats/react/index.ts'
export type { ReactFormat } from './formats/react/index.ts'
export { detectTool } from './formats/react/detect-tool.ts'
export type { DetectedTool } from './formats/react/detect-tool.ts'
export { PROMPT as REACT_PROMPT } from './formats/react/templates.ts'
export { buildReactPrompt, growReactPrompt, observationText } from './formats/react/prompt.ts'
export type { ReactPromptRequest, ReactStep } from './formats/react/prompt.ts'
export { partialStopWords, postprocessStopWords } from './stop-words.ts'
export type { StopWordOptions } from './stop-words.ts'
export { describeTool, readTools, toolNames } from './tool-description.ts'
export { renderChatML } from './qwen-agent/chatml.ts'
export type { ChatMLOptions } from './qwen-agent/chatml.ts'
export { renderTrainSample } from './qwen-agent/train-sample.ts'
export type { TrainSampleRequest } from './qwen-agent/train-sample.ts'
export {
  METAGPT_DEFAULT_PROFILE,
  METAGPT_PROFILE_NAMES,
  METAGPT_PROFILES,
  metagptProfileNamed,
} from './metagpt/profile.ts'
export type { MetagptProfile, MetagptProfileName } from './metagpt/profile.ts'
export { actionClassPath, actionName, instructionPrompt, stateLines } from './metagpt/action.ts'
export type { ActionResult, RoleTask } from './metagpt/action.ts'
export { isAddressedTo, publishTo } from './metagpt/environment.ts'
export type { Environment, EnvironmentMember } from './metagpt/environment.ts'
export { admissibleStates, extractState, validState } from './metagpt/extract-state.ts'
export type { ExtractedState } from './metagpt/extract-state.ts'
export { extractStruct, structErrorPrefix } from './metagpt/extract-struct.ts'
export type { StructType } from './metagpt/extract-struct.ts'
export { historyText, messageText, roleMessage } from './metagpt/message.ts'
export type { MessageFields, RoleMessage } from './metagpt/message.ts'
export { currentTask } from './metagpt/plan/plan.ts'
export type { Plan } from './metagpt/plan/plan.ts'
export { planCode } from './metagpt/plan/load-plan.ts'
export { planPrompt, structuralContext } from './metagpt/plan/plan-prompt.ts'
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
export { statePrompt } from './metagpt/state-prompt.ts'
export type { StatePromptRequest } from './metagpt/state-prompt.ts'
export { tutorialAssistant } from './metagpt/tutorial/assistant.ts'
export type { TutorialOptions } from './metagpt/tutorial/assistant.ts'
export {
  chaptersOf,
  contentPrompt,
  directoryPrompt,
  TUTORIAL_SETTING,
  tutorialPath,
} from './metagpt/tutorial/tutorial.ts'
export type { TutorialState } from './metagpt/tutorial/tutorial.ts'
