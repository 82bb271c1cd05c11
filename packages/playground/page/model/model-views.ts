import { groupedPrompts } from '@callspec/inspect'
import type { InspectedResponse } from '@callspec/inspect'
import { element, say } from '@callspec/report/page'
import type { DifferenceAnswer, ShownModel, ShownTemplate } from '../../src/model-answer.ts'
import { andMore, shortened } from '../parts.ts'
import { inEnglish, lintView } from '../template/template-panel.ts'
import { enginesView } from './advice-view.ts'
import { evidenceInChinese, lacksInChinese } from './evidence-in-chinese.ts'
import { responseView } from './response-view.ts'

/** A part of the answer with its heading. */
export function section(head: DocumentFragment, parts: readonly (Node | null)[]): HTMLElement {
  return element('section', {}, [element('h2', {}, [head]), ...parts])
}

/** The command that says more. */
export function commandView(words: string): HTMLElement {
  return element('p', { class: 'quiet command' }, [say('more: ', '更多：'), element('code', {}, [`callspec ${words}`])])
}

/** The sections of a model: those before its prompt, and those after it. */
export function sectionsOf(model: ShownModel): {
  readonly first: readonly HTMLElement[]
  readonly others: readonly HTMLElement[]
} {
  const { template, missing, response } = model
  const chat =
    template === null
      ? [section(say('Template', '模板'), [element('p', { class: 'bad' }, [inEnglish(missing ?? '')])])]
      : [
          section(say('Lint', '检查'), [...lintView(template.lint), commandView('template lint FOLDER')]),
          section(say('Forged text', '伪造文本'), [...forgedView(template), commandView('template forge FOLDER')]),
        ]
  return {
    first: [section(say('Format', '格式'), [...formatView(model), commandView('formats FOLDER')])],
    others: [
      ...chat,
      section(say('Response template', '响应模板'), [
        ...responseView(response),
        commandView(template === null ? 'template lint FOLDER' : 'template roundtrip FOLDER'),
      ]),
      section(say('Engines', '引擎'), [...enginesView(model), commandView('compat --model FOLDER --engine vllm')]),
    ],
  }
}

type Fact = readonly [look: 'good' | 'warn' | 'bad' | 'quiet', words: DocumentFragment | string]

/** A word on each section, before all of them. */
export function glanceView({ format, template, response }: ShownModel): HTMLElement {
  const errors = template?.lint.findings.filter(({ severity }) => severity === 'error').length ?? 0
  const findings = template?.lint.findings.length ?? 0
  const forged = template?.forged.filter(({ outcome }) => outcome === 'forged').length ?? 0
  const facts: readonly (Fact | null)[] = [
    [
      format.formats.length === 0 ? 'bad' : 'good',
      format.formats.length === 0 ? say('unknown format', '未知格式') : format.formats.join(' / '),
    ],
    template === null
      ? ['bad', say('no chat template', '没有聊天模板')]
      : [
          errors > 0 ? 'bad' : findings > 0 ? 'warn' : 'good',
          say(
            `lint: ${errors} errors, ${findings - errors} warnings`,
            `检查：${errors} 个错误，${findings - errors} 个警告`,
          ),
        ],
    template === null
      ? null
      : [
          forged > 0 ? 'bad' : 'good',
          say(`forged: ${forged} of ${template.forged.length}`, `伪造：${forged} / ${template.forged.length}`),
        ],
    ...responseFacts(response),
  ]
  return element(
    'p',
    { class: 'glance' },
    facts.flatMap((fact) => (fact === null ? [] : [element('span', { class: `fact ${fact[0]}` }, [fact[1]])])),
  )
}

function responseFacts(response: InspectedResponse): readonly Fact[] {
  if (response.kind === 'none') return [['quiet', say('no response template', '没有响应模板')]]
  if (response.kind !== 'read')
    return [[response.kind === 'refused' ? 'bad' : 'quiet', say('response template not read', '响应模板未读取')]]
  const { trips, findings } = response
  const same = trips.filter(({ verdict }) => verdict === 'same').length
  const isBad = findings.some(({ severity }) => severity === 'error')
  const facts: readonly (Fact | null)[] = [
    trips.length === 0
      ? null
      : [
          same === trips.length ? 'good' : 'warn',
          say(`round trip: ${same} of ${trips.length}`, `往返：${same} / ${trips.length}`),
        ],
    findings.length === 0
      ? null
      : [
          isBad ? 'bad' : 'warn',
          say(
            `response template: ${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`,
            `响应模板：${findings.length} 个问题`,
          ),
        ],
  ]
  return facts.filter((fact) => fact !== null)
}

const SURE = { sure: '确定', likely: '很可能', 'a guess': '猜测', unknown: '未知' } as const

function formatView({ format, versions, files, template }: ShownModel): readonly HTMLElement[] {
  const { formats, sure, evidence, lacks } = format
  const likest = versions.filter(
    ({ format: id, same, compared }) => formats.includes(id) && same > 0 && same < compared,
  )
  return [
    element('p', { class: 'outcome' }, [
      element('strong', {}, [formats.length === 0 ? say('unknown', '未知') : formats.join(' / ')]),
      formats.length === 0 ? null : say(` (${sure})`, `（${SURE[sure]}）`),
    ]),
    element(
      'ul',
      {},
      evidence.map((each) =>
        element('li', {}, [say(shortened(each.says, 400), shortened(evidenceInChinese(each), 400))]),
      ),
    ),
    lacks === null
      ? null
      : element('p', { class: 'warn' }, [say(`not covered: ${lacks}`, `未覆盖：${lacksInChinese(lacks) ?? lacks}`)]),
    ...likest.map(({ format: id, version, same, compared }) =>
      element('p', {}, [
        say(
          `prompts of ${id} are most like it in version ${version}: ${same} of ${compared} are equal`,
          `${id} 的提示词以版本 ${version} 最为接近：${compared} 个中有 ${same} 个相同`,
        ),
      ]),
    ),
    element('p', { class: 'quiet' }, [say('files: ', '文件：'), shortened(files.join(', '), 400)]),
    template?.chosen == null
      ? null
      : element('p', { class: 'quiet' }, [
          say('chat template: ', '聊天模板：'),
          shortened(template.chosen, 100),
          say('; others: ', '；其他：'),
          shortened(template.others.join(', '), 400),
        ]),
  ].filter((each) => each !== null)
}

function forgedView({ forged }: ShownTemplate): readonly HTMLElement[] {
  const count = forged.filter(({ outcome }) => outcome === 'forged').length
  return [
    element('p', { class: 'outcome' }, [
      element('span', { class: count === 0 ? 'good' : 'bad' }, [count === 0 ? '✓ ' : '✗ ']),
      say(
        `${count} of ${forged.length} attacks by one text give the bytes of real turns`,
        `${forged.length} 种攻击中有 ${count} 种能用一段文本得到与真实轮次相同的字节`,
      ),
    ]),
    ...forged.map(({ attack, outcome, reason, text }) => {
      const isForged = outcome === 'forged'
      const head = [
        element('span', { class: isForged ? 'bad' : 'quiet' }, [outcome]),
        ' ',
        element('code', {}, [attack]),
      ]
      const why =
        reason === '' ? null : element('span', { lang: 'en-GB', class: 'quiet' }, [`: ${shortened(reason, 300)}`])
      if (!isForged || text === null) return element('p', { class: 'finding' }, [...head, why])
      return element('details', { class: 'finding' }, [
        element('summary', {}, head),
        element('pre', { class: 'bytes', tabindex: '0' }, [shortened(text, 1000)]),
      ])
    }),
  ]
}

/** Prompts that differ are listed up to this number. */
const MOST_PROMPTS = 8

/** How the model differs from another copy. */
export function differenceView(answer: DifferenceAnswer): readonly HTMLElement[] {
  if (answer.kind === 'wrong') return [element('p', { class: 'bad' }, [inEnglish(answer.message)])]
  const { formats, tokens, template, hasSameResponse, before } = answer.difference
  const facts = [
    formats === null
      ? null
      : say(
          `format: ${formats[0].join(' / ') || 'unknown'} → ${formats[1].join(' / ') || 'unknown'}`,
          `格式：${formats[0].join(' / ') || '未知'} → ${formats[1].join(' / ') || '未知'}`,
        ),
    tokens.length === 0
      ? null
      : say(`other special tokens: ${tokens.join(', ')}`, `特殊 token 不同：${tokens.join(', ')}`),
    hasSameResponse ? null : say('another response template', '响应模板不同'),
    template === null || template.fresh.length === 0
      ? null
      : say(`new findings: ${template.fresh.join(', ')}`, `新增问题：${template.fresh.join(', ')}`),
    template === null || template.gone.length === 0
      ? null
      : say(`findings that are gone: ${template.gone.join(', ')}`, `消失的问题：${template.gone.join(', ')}`),
  ].filter((each) => each !== null)
  const groups = groupedPrompts(template?.prompts ?? [])
  const head =
    template === null
      ? say('One of the two has no chat template that compiles.', '其中一份没有可编译的聊天模板。')
      : say(
          `${template.isSameText ? 'the same chat template' : 'another text of the chat template'}; prompts differ in ${template.prompts.length} of ${template.conversations} conversations`,
          `${template.isSameText ? '聊天模板相同' : '聊天模板文本不同'}；${template.conversations} 段对话中有 ${template.prompts.length} 段提示词不同`,
        )
  return [
    section(say('Difference', '差异'), [
      element('p', { class: 'outcome' }, [head]),
      element('p', { class: 'quiet' }, [say('compared with: ', '比较对象：'), shortened(before, 300)]),
      facts.length === 0
        ? null
        : element(
            'ul',
            {},
            facts.map((fact) => element('li', {}, [fact])),
          ),
      ...groups
        .slice(0, MOST_PROMPTS)
        .map(([{ conversation, at, before: old, now }, others]) =>
          element('details', { class: 'finding' }, [
            element('summary', {}, [
              conversation,
              at === null
                ? say(', refused by one of both', '，其中一方拒绝')
                : say(`, from character ${at + 1} on`, `，从第 ${at + 1} 个字符起`),
              others.length === 0 ? null : say(`; alike in ${others.length} more`, `；另有 ${others.length} 段相同`),
            ]),
            element('pre', { class: 'bytes', tabindex: '0' }, [`- ${old}`]),
            element('pre', { class: 'bytes', tabindex: '0' }, [`+ ${now}`]),
          ]),
        ),
      andMore(groups.length - MOST_PROMPTS),
      commandView('template diff OTHER FOLDER'),
    ]),
  ]
}
