import type { Html } from '../html.ts'
import { html, say } from '../html.ts'

/** What of an engine was asked, by its name: the Chinese of `what` in its `engine.json`. A test notices when that changes. */
const ASKED: Readonly<Record<string, string>> = {
  'ai-sdk': '经 AI SDK 中间件使用其两种协议，非流式与流式',
  'cohere-melody': 'Cohere 官方的模型回复解析器，非流式与逐 token，以及其提示词',
  dynamo: 'NVIDIA Dynamo 的工具与思考解析器，在进程内调用：非流式回复，以及经其 jail 的流式回复',
  langchain:
    '@langchain/core（版本即此）的 JsonOutputParser，以及 @langchain/classic 1.0.50 的 ReActSingleInputOutputParser',
  'llama.cpp':
    'xllamacpp 自带的 llama-server：为每条回复制作一个输出它的模型文件，其余由服务端自己的语法、采样器和解析器完成；解析器名即聊天模板',
  llamaindex: 'llamaindex/agent 的 ReActAgent：用脚本模型执行一步',
  'mistral-common': 'Mistral 官方的完整回复解析器，按其实验性服务端的方式调用，以及其提示词',
  ollama: '其解析器和渲染器，在进程内按其服务端的方式调用',
  'openai-harmony': 'OpenAI 官方的 harmony 解析器，使用真实词表，非流式与逐 token；以及其提示词',
  sglang: '其工具与思考解析器，在进程内由其聊天服务端代码（OpenAIServingChat）调用',
  smg: 'Shepherd Model Gateway 的工具与思考解析器，在进程内按其网关的方式调用',
  transformers:
    'transformers serve 的代码，非流式与逐 token：分别使用自带的响应模板（serve/MODEL）、TRL 1.16.0 的（trl/CHAT TEMPLATE）和 callspec 的（export）；提示词由其聊天模板代码和 TRL 的聊天模板生成',
  vllm: '其工具与思考解析器，在进程内由其聊天服务端代码调用（完整解析，以及流式增量）',
}

/** What was asked, in both languages; in English where there is no Chinese, as of a report of your own. */
export function askedParts({ engine, what }: { readonly engine: string; readonly what: string }): Html {
  if (!Object.hasOwn(ASKED, engine)) return html`<span lang="en-GB">${what}</span>`
  return say({ en: '{what}', zh: ASKED[engine] ?? '' }, { what })
}
