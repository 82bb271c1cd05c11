import { modelEvidence, nameEvidence, openModel } from '@callspec/inspect'
import { describe, expect, it } from 'vitest'
import { KNOWN_MODELS } from '../../core/test/helpers/internals.ts'
import { evidenceInChinese, lacksInChinese, sourceInChinese } from '../page/model/evidence-in-chinese.ts'

const ENGLISH = / (?:its|of|is|the|by|that|and|has|have|in|an?|at|it) /

describe('evidence in Chinese', () => {
  it.each([...new Set(KNOWN_MODELS.map(({ source }) => source))])('has the source "%s"', (source) => {
    const chinese = sourceInChinese(source)

    expect(chinese).not.toBeNull()
    expect(` ${chinese} `).not.toMatch(ENGLISH)
  })

  it.each([...new Set(KNOWN_MODELS.flatMap(({ lacks }) => lacks ?? []))])('has what is not covered: "%s"', (lacks) => {
    expect(lacksInChinese(lacks)).toMatch(/\p{Script=Han}.*。$/u)
  })

  it('does not invent a translation', () => {
    expect(sourceInChinese('someone said so')).toBeNull()
    expect(lacksInChinese('toString')).toBeNull()
  })

  it.each([
    ['Qwen3-Coder-30B', '模型名为“Qwen3-Coder-30B”（其聊天模板，见该格式的 README）'],
    ['xLAM-2', '模型名为“xLAM-2”，callspec 尚不能解析 xLAM（vLLM 0.33.0 用 xlam 解析）'],
    [
      'interns1',
      '模型名为“interns1”，callspec 尚不能解析 Intern-S1, InternLM 2.5（SGLang 0.5.23 用 interns1 解析，vLLM 用 internlm 解析（vLLM（0064cc9）的 docs/features/tool_calling.md））',
    ],
  ])('of the name %s', (name, chinese) => {
    expect(nameEvidence(name).map(evidenceInChinese)).toEqual([chinese])
  })

  it('of files', async () => {
    const template =
      '{% for m in messages %}{% if m.tool_calls %}{% for c in m.tool_calls %}<tool_call>\n{{ c.function | tojson }}\n</tool_call>{% endfor %}{% else %}{{ m.content }}{% endif %}{% endfor %}'
    const texts = new Map([
      ['config.json', '{"model_type": "qwen2"}'],
      ['chat_template.jinja', template],
    ])
    const model = await openModel({ name: 'a', modelName: null, texts, gguf: null }, null)

    const evidence = await modelEvidence(model)

    expect(evidence.map(evidenceInChinese)).toEqual([
      '其聊天模板按 nous 格式写出调用',
      '其 config.json 的“model_type”为“qwen2”（Qwen-Agent（31a4d36）如此写其提示词）',
    ])
  })
})
