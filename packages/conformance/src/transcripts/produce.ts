import { isDict, repr } from '@callspec/python'
import { REACT_PROMPT } from '@callspec/core/qwen-agent'
import type { PyDict, PyValue } from '@callspec/python'

import { builtInImplementation } from '../in-process.ts'
import { pprint } from './pprint.ts'

const implementation = builtInImplementation()

/** Texts by their names, in the order in which the document prints them. */
export type Transcripts = Readonly<Record<string, string>>

/** Makes the prompts that a document prints, with the inputs of that document, under a version of Qwen-Agent. */
export type Produce = (input: PyDict, profile: string) => Promise<Transcripts>

/** The prompt templates that document 000 prints, and the ReAct prompt of its example. */
export async function walkThrough(input: PyDict, profile: string): Promise<Transcripts> {
  const template = async (lang: string, parallel: boolean): Promise<string> =>
    text((await answer('fncall.template', profile, { type: text(input.get('template')), lang, parallel })).get('text'))
  const { messages } = members(
    await answer(text(input.get('operation')), profile, {
      tools: input.get('tools') ?? [],
      messages: input.get('messages') ?? [],
      lang: 'zh',
    }),
  )
  return {
    '000-template-zh': `${await template('zh', false)}\n`,
    '000-template-en': `${await template('en', false)}\n`,
    '000-template-zh_parallel': `${await template('zh', true)}\n`,
    '000-template-en_parallel': `${await template('en', true)}\n`,
    [text(input.get('prompt'))]: REACT_PROMPT,
    [text(input.get('message'))]: `[${list(messages)
      .map((message) => `Message(${repr(message)})`)
      .join(', ')}]\n`,
  }
}

/** Versions before v0.0.10 send the same messages, but their ChatML text lacks the line feed before `<|im_end|>`. */
const CHATML_PROFILE = 'v0.0.13'

/** The five model calls of document 002 as ChatML: two that look for keywords, three of the agent. */
export async function assistantWithFile(input: PyDict, profile: string): Promise<Transcripts> {
  const completions = list(input.get('completions'))
  const keywords = await answer('keygen.run', profile, {
    strategy: input.get('keygen_strategy') ?? '',
    query: 'draw a dog',
    completions: completions.slice(0, 2),
  })
  const run = await answer('assistant.run', profile, {
    messages: input.get('messages') ?? [],
    tools: scriptedTools(input),
    completions: completions.slice(2),
    system_message: input.get('system_message') ?? '',
    knowledge: JSON.stringify(list(input.get('retrieval_result')).map((item) => plainSource(item))),
    cfg: new Map([['generate_cfg', new Map([['max_input_tokens', 100_000n]])]]),
  })
  const prompts: Record<string, string> = {}
  for (const [at, messages] of [...list(keywords.get('calls')), ...list(run.get('calls'))].entries()) {
    const rendered = await answer('chatml.render', CHATML_PROFILE, { messages, allow_special: true })
    prompts[`002-prompt${at + 1}`] = text(rendered.get('text'))
  }
  return prompts
}

/** The three prompts of document 004, and the reply that it pretty-prints. */
export async function reactRun(input: PyDict, profile: string): Promise<Transcripts> {
  const run = await answer(text(input.get('operation')), profile, {
    messages: input.get('messages') ?? [],
    tools: scriptedTools(input),
    completions: input.get('completions') ?? [],
    agent_name: input.get('name') ?? null,
  })
  const prompts = list(run.get('calls')).map((messages) => text(dict(list(messages).at(-1)).get('content')))
  return {
    '004-prompt1': prompts[0] ?? '',
    '004-prompt2': prompts[1] ?? '',
    '004-prompt3': prompts[2] ?? '',
    '004-final-print': `${pprint(run.get('final') ?? null)}\n`,
  }
}

async function answer(op: string, profile: string, input: Readonly<Record<string, PyValue>>): Promise<PyDict> {
  const reply = await implementation.answer({ id: op, op, profile, input: new Map(Object.entries(input)) })
  if (reply.kind === 'returned' && isDict(reply.value)) return reply.value
  throw new Error(`${op}: ${JSON.stringify(reply)}`)
}

/** The tools with the results that the documents show. */
function scriptedTools(input: PyDict): PyValue {
  const results = dict(input.get('tool_results'))
  return list(input.get('tools')).map((tool) => {
    const name = text(dict(tool).get('name'))
    return new Map([...dict(tool), ['results', results.get(name) ?? ['']]])
  })
}

function plainSource(item: PyValue): { readonly url: string; readonly text: readonly string[] } {
  return { url: text(dict(item).get('url')), text: list(dict(item).get('text')).map(text) }
}

function members(value: PyDict): Readonly<Record<string, PyValue>> {
  return Object.fromEntries(value)
}

function text(value: PyValue | undefined): string {
  if (typeof value === 'string') return value
  throw new Error('text was expected')
}

function list(value: PyValue | undefined): readonly PyValue[] {
  if (Array.isArray(value)) return value as readonly PyValue[]
  throw new Error('a list was expected')
}

function dict(value: PyValue | undefined): PyDict {
  if (isDict(value)) return value
  throw new Error('a map was expected')
}
