// One kind of random question per operation of the reference, with its weight.
import fc from 'fast-check'
import { messages, reply, scriptedTools, text, tool, tools } from './texts.mjs'

const flag = fc.boolean()
const lang = fc.constantFrom('en', 'zh')
const anyLang = fc.constantFrom('en', 'zh', 'auto')
const choice = fc.constantFrom('auto', 'none', 'add')
const stop = fc.constantFrom(
  ['Observation:', 'Observation:\n'],
  ['END'],
  ['✿RESULT✿', '✿RETURN✿'],
  ['</s>', '<|im_end|>'],
)
const said = fc
  .array(reply, { minLength: 1, maxLength: 3 })
  .map((texts) => texts.map((each) => ({ role: 'assistant', content: [{ text: each }] })))
const type = fc.constantFrom('qwen', 'nous')
const chunks = reply.chain((all) =>
  fc.array(fc.nat(Math.max(all.length, 1)), { maxLength: 5 }).map((cuts) => pieces(all, cuts)),
)
const generate = fc.record(
  { function_choice: choice, parallel_function_calls: flag, seed: fc.constant(1) },
  { requiredKeys: ['seed'] },
)
const cfg = fc.oneof(
  type.map((each) => ({ generate_cfg: { fncall_prompt_type: each } })),
  fc.constant({ generate_cfg: { use_raw_api: true } }),
  fc.constant({}),
)
// The last answers call nothing, so that most runs come to an end before the script does.
const completions = fc
  .array(reply, { maxLength: 3 })
  .map((texts) => [...texts, ...Array.from({ length: 10 }, () => 'Noon.')])
const single = (form) => messages(form).map((all) => all.at(-1))

function pieces(all, cuts) {
  const at = [0, ...cuts.toSorted((one, other) => one - other), all.length]
  const isHalf = (offset) => offset > 0 && offset < all.length && /[\udc00-\udfff]/.test(all[offset])
  const whole = at.map((offset) => (isHalf(offset) ? offset - 1 : offset))
  return whole.slice(1).map((end, index) => all.slice(whole[index], end))
}

/** Weight, and the input of an operation. */
const KINDS = {
  'qwen.postprocess': [10, fc.record({ messages: said, parallel_function_calls: flag, function_choice: choice })],
  'nous.postprocess': [10, fc.record({ messages: said, special_code_mode: flag, thought_in_content: flag })],
  'qwen.preprocess': [
    6,
    fc.record({
      messages: messages('items'),
      functions: tools,
      lang: anyLang,
      parallel_function_calls: flag,
      function_choice: choice,
    }),
  ],
  'nous.preprocess': [6, fc.record({ messages: messages('items'), functions: tools, lang, special_code_mode: flag })],
  'react.detect_tool': [8, fc.record({ text: reply })],
  'react.prompt': [4, fc.record({ tools: scriptedTools, messages: messages('text'), lang })],
  'chat.prepare': [
    10,
    fc.record({ messages: messages('text'), functions: tools, cfg, extra_generate_cfg: generate, stream: flag }),
  ],
  'fncall.run': [8, fc.record({ messages: messages('text'), tools: scriptedTools, completions, cfg })],
  'react.run': [6, fc.record({ messages: messages('text'), tools: scriptedTools, completions })],
  'qwen.postprocess_stream': [5, fc.record({ chunks, functions: tools, extra_generate_cfg: generate })],
  'nous.postprocess_stream': [5, fc.record({ chunks, functions: tools, extra_generate_cfg: generate })],
  truncate_input: [5, fc.record({ messages: messages('text'), max_tokens: fc.integer({ min: 1, max: 120 }) })],
  'stop_words.postprocess': [4, fc.record({ messages: said, stop })],
  remove_fncall_messages: [3, fc.record({ messages: messages('texts'), lang })],
  'oai.convert': [3, fc.record({ messages: messages('text') })],
  'chatml.render': [3, fc.record({ messages: messages('text'), allow_special: fc.constant(true) })],
  'qwen.train_sample': [
    3,
    fc.record({ messages: messages('texts'), functions: tools, lang: anyLang, parallel_function_calls: flag }),
  ],
  'multimodal.format': [
    3,
    fc.record({
      message: single('items'),
      add_upload_info: flag,
      add_multimodel_upload_info: flag,
      add_audio_upload_info: flag,
      lang: anyLang,
    }),
  ],
  'text.format': [3, fc.record({ message: single('items'), add_upload_info: flag, lang: anyLang })],
  validate_fncall_results: [2, fc.record({ messages: messages('text'), support_multimodal_input: flag })],
  function_description: [2, fc.record({ function: tool, lang })],
  json5_loads: [5, fc.record({ text })],
  json_loads_lenient: [2, fc.record({ text })],
  'nous.extract_fn': [3, fc.record({ text: reply })],
  'qwen.remove_incomplete_special_tokens': [2, fc.record({ text })],
  'qwen.remove_trailing_comment': [2, fc.record({ text })],
  'code.extract': [2, fc.record({ text })],
  py_strip: [1, fc.record({ text, mode: fc.constantFrom('strip', 'lstrip', 'rstrip') })],
  'lang.detect': [2, fc.record({ messages: messages('text') })],
  'tokenizer.truncate': [
    2,
    fc.record({ text, max_token: fc.nat(20), start_token: fc.constant(0), keep_both_sides: flag }),
  ],
  'keygen.parse': [
    2,
    fc.record({
      strategy: fc.constantFrom('GenKeyword', 'SplitQueryThenGenKeyword'),
      messages: messages('text'),
      completions,
    }),
  ],
  'assistant.format_knowledge': [1, fc.record({ knowledge: text })],
}

/** Names of operations that questions can be drawn for. */
export const OPERATIONS = Object.keys(KINDS)

/** Questions `{op, input}` about some operations, each as likely as its weight; the same for the same seed. */
export function drawQuestions({ count, seed, operations }) {
  const kinds = operations.map((op) => {
    const [weight, input] = KINDS[op]
    return { weight, arbitrary: input.map((each) => ({ op, input: each })) }
  })
  return fc.sample(fc.oneof(...kinds), { numRuns: count, seed })
}
