/** What sources of models are called. */
export const ENGINES = 'vLLM 0.33.0 and SGLang 0.5.23'
export const VLLM_DOCS = 'docs/features/tool_calling.md of vLLM, 0064cc9'
export const TEMPLATES = 'its chat template in models/templates of llama.cpp or a fork'

/** A name, as in `KnownModel`; a title for people; what says so; whether a chat template was at hand. */
type UnreadModel = readonly [name: RegExp, title: string, source: string, hasTemplate?: true]

/** Models that write calls in a form that no format of callspec has: known, so that no other format is guessed for them. */
export const UNREAD_MODELS: readonly UnreadModel[] = [
  [/(?:^|[^a-z0-9])hy-?v?4|hunyuan-?(?:v|hy)?4/, 'hy-v4', 'vLLM 0.33.0 reads it by hy_v4'],
  [/(?:^|[^a-z0-9])hy-?v?3-preview/, 'Hy3-preview', 'its tags have no suffix (tests of vLLM)'],
  [/gigachat-?3\.5/, 'GigaChat 3.5', 'SGLang 0.5.23 reads it by gigachat35', true],
  [/inkling/, 'inkling', `${ENGINES} read it by inkling`],
  [/ernie-?4\.5/, 'ERNIE 4.5', 'vLLM 0.33.0 reads it by ernie45'],
  [/(?:^|[^a-z0-9])step-?3(?![.\d])/, 'Step 3', `${ENGINES} read it by step3`],
  [/longcat/, 'LongCat', 'vLLM 0.33.0 reads it by longcat'],
  [/plamo-?3/, 'PLaMo 3', 'vLLM 0.33.0 reads it by plamo3'],
  [/(?:^|[^a-z0-9])xlam/, 'xLAM', 'vLLM 0.33.0 reads it by xlam'],
  [
    /intern-?s1|intern(?:-?lm)-?(?:2[.-]5|3)/,
    'Intern-S1, InternLM 2.5',
    `SGLang 0.5.23 reads it by interns1, vLLM by internlm (${VLLM_DOCS})`,
  ],
  [/solar-open/, 'Solar Open', TEMPLATES, true],
  [/mirothinker/, 'MiroThinker', TEMPLATES, true],
  [/firefunction/, 'Firefunction', TEMPLATES, true],
  [/functionary/, 'Functionary', TEMPLATES, true],
  [/command-r-?plus|command-r(?:-v01|-08)/, 'Command R, R+', TEMPLATES, true],
  [/minimax-?m1/, 'MiniMax-M1', 'examples/tool_chat_template_minimax_m1.jinja of vLLM', true],
  [
    /granite-20b-functioncalling/,
    'Granite 20B function calling',
    `vLLM reads it by granite-20b-fc (${VLLM_DOCS})`,
    true,
  ],
  [/(?:^|[^a-z0-9])dots\.?(?:llm|-?\d)/, 'dots', `${ENGINES} read it by dots`],
  [/iquest-?q1/, 'IQuest-Q1', 'SGLang 0.5.23 reads it by iquest_q1'],
]
