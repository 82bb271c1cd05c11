import { element, say } from '@callspec/report/page'
import type { RenderAnswer } from '../../src/answer.ts'
import type { LintAnswer, ShownFinding } from '../../src/lint-answer.ts'
import { countedText, field, requestFields, shortened, wrongView } from '../parts.ts'
import type { Panel } from '../parts.ts'
import type { PanelParts } from '../reply/reply-panel.ts'

/** A chat template: what it makes of the conversation, and what the lint says. */
export function templatePanel({ asker, change }: Pick<PanelParts, 'asker' | 'change'>): Panel {
  const template = field({
    id: 'template',
    label: say('Chat template (Jinja)', '聊天模板（Jinja）'),
    rows: 12,
    onText: (text) => change({ template: text }),
  })
  const fields = requestFields('template', change)
  const rendered = element('div', { 'aria-live': 'polite' })
  const linted = element('div', { 'aria-live': 'polite' })
  let lintedText: string | null = null
  return {
    view: element('div', {}, [
      template.view,
      element('details', {}, [element('summary', {}, [say('Tools and conversation', '工具与对话')]), fields.view]),
      element('h2', {}, [say('Rendered', '渲染结果')]),
      rendered,
      element('h2', {}, [say('Lint', '检查')]),
      linted,
    ]),
    update: ({ template: text, tools, conversation, ...others }) => {
      template.set(text)
      fields.update({ template: text, tools, conversation, ...others })
      asker.ask('render', { template: text, tools, conversation }, (answer) =>
        rendered.replaceChildren(answer === null ? tooLong() : renderView(answer)),
      )
      if (lintedText === text) return
      lintedText = text
      asker.ask('lint', { template: text }, (answer) =>
        linted.replaceChildren(...(answer === null ? [tooLong()] : lintView(answer))),
      )
    },
  }
}

/** What is shown instead of an answer that took too long. */
export function tooLong(): HTMLElement {
  return element('p', { class: 'bad' }, [
    say('This takes too long for a page. Try callspec template.', '在页面中耗时过长，请使用 callspec template。'),
  ])
}

/** So much of a prompt is shown, in UTF-16 units. */
const MOST_SHOWN = 200_000

/** A prompt, or why there is none. */
export function renderView(answer: RenderAnswer): HTMLElement {
  switch (answer.kind) {
    case 'rendered':
      return element('pre', { class: 'marked', tabindex: '0' }, [shortened(answer.text, MOST_SHOWN)])
    case 'raised': {
      const { type, message, line, column } = answer.error
      const place = line === undefined ? '' : `${line}${column === undefined ? '' : `:${column}`}: `
      return element('p', { class: 'bad' }, [
        say('The template raises ', '模板报错 '),
        `${place}${type}: ${shortened(message, 2000)}`,
      ])
    }
    default:
      return wrongView(answer)
  }
}

/** Findings of the lint. */
export function lintView({
  findings,
  conversations,
  form,
  standIns,
}: Omit<LintAnswer, 'forgeries'>): readonly HTMLElement[] {
  const missing = standIns.map(({ kind, name }) => `${kind} ${name}`).join(', ')
  const head = element('p', { class: 'outcome' }, [
    element('span', { class: findings.length === 0 ? 'good' : 'warn' }, [findings.length === 0 ? '✓ ' : '! ']),
    countedText(findings.length, ['finding', 'findings', '个问题']),
    say(
      ` in ${conversations} conversations; arguments as ${form.arguments}`,
      `，共 ${conversations} 段对话；参数形式：${form.arguments}`,
    ),
    missing === '' ? '' : say(`; missing: ${missing}`, `；缺少：${missing}`),
  ])
  return [head, ...findings.map(findingView)]
}

/** The sign and the class of each severity. */
export const SEVERITY_SIGNS = { error: ['✗', 'bad'], warning: ['!', 'warn'], info: ['i', 'quiet'] } as const

function findingView({ rule, severity, about, detail, remedy, probe, around }: ShownFinding): HTMLElement {
  const [sign, look] = SEVERITY_SIGNS[severity]
  return element('details', { class: 'finding' }, [
    element('summary', {}, [element('span', { class: look }, [`${sign} ${rule}`]), ' ', ruleView(about)]),
    element('p', { lang: 'en-GB' }, [shortened(detail, 2000)]),
    element('p', { class: 'quiet' }, [say('What to do: ', '处理办法：'), ruleView(remedy)]),
    element('p', { class: 'quiet' }, [say('conversation: ', '对话：'), probe.id]),
    around === null
      ? null
      : element('pre', { class: 'bytes', tabindex: '0' }, [
          around[0],
          element('mark', {}, [around[1] === '' ? '▮' : around[1]]),
          around[2],
        ]),
  ])
}

/** What a rule says, in English on every page, with its code as code. */
export function ruleView(sentence: string): HTMLElement {
  const parts = sentence.split('`').map((part, at) => (at % 2 === 0 ? part : element('code', {}, [part])))
  return element('span', { lang: 'en-GB' }, parts)
}

/** A text that is English on every page. */
export function inEnglish(text: string): HTMLElement {
  return element('span', { lang: 'en-GB' }, [text])
}
