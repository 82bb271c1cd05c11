import { FORMATS } from '@callspec/core'
import type { PromptPart, TokenInText } from '@callspec/core'
import { button, element, say } from '@callspec/report/page'
import type { PromptAnswer } from '../../src/answer.ts'
import { formatOrFirst } from '../../src/read-request.ts'
import type { PlaygroundState } from '../../src/state.ts'
import { choice, countedText, requestFields, shortened, wrongView } from '../parts.ts'
import type { Panel } from '../parts.ts'
import type { PanelParts } from '../reply/reply-panel.ts'

/** Tools and a conversation, and the exact prompt of any format. */
export function promptPanel({ asker, change }: Pick<PanelParts, 'asker' | 'change'>): Panel {
  let state: PlaygroundState | null = null
  const choose = (part: Partial<PlaygroundState['prompt']>): void => {
    if (state !== null) change({ prompt: { ...state.prompt, ...part } })
  }
  const fields = requestFields('prompt', change)
  const format = choice('prompt-format', say('format', '格式'), (id) => choose({ format: id, version: '' }))
  const version = choice('prompt-version', say('version', '版本'), (name) => choose({ version: name }))
  const result = element('div', { class: 'result', 'aria-live': 'polite' })
  const withPrompt = FORMATS.filter(({ prompt }) => prompt !== null).map(({ id }) => [id, id] as const)
  return {
    view: element('div', {}, [fields.view, element('p', { class: 'controls' }, [format.view, version.view]), result]),
    update: (next) => {
      state = next
      fields.update(next)
      const { tools, conversation, prompt } = next
      const id = prompt.format === '' ? (withPrompt[0]?.[0] ?? '') : prompt.format
      format.offer(withPrompt, id)
      version.offer(
        formatOrFirst(id).versions.map((each) => [each, each] as const),
        prompt.version,
      )
      asker.ask('prompt', { ...prompt, format: id, tools, conversation }, (answer) => {
        result.replaceChildren(...(answer === null ? [] : promptView(answer, (name) => choose({ version: name }))))
      })
    },
  }
}

/** A prompt with its versions and tokens, or why there is none. */
export function promptView(answer: PromptAnswer, onVersion: (version: string) => void): readonly HTMLElement[] {
  switch (answer.kind) {
    case 'prompted':
      return [
        headView(answer.parts),
        ...versionsView(answer, onVersion),
        ...spelledView(answer.spelled),
        partsView(answer.parts),
      ]
    case 'refused':
      return [element('p', { class: 'bad' }, [say('The format refuses this: ', '该格式拒绝：'), answer.reason])]
    case 'wrong':
      return [wrongView(answer)]
    default:
      return [element('p', { class: 'quiet' }, [say('This format can only be read.', '该格式只能读取。')])]
  }
}

function headView(parts: readonly PromptPart[]): HTMLElement {
  const tokens = parts.filter(({ kind }) => kind === 'token').length
  const length = parts.reduce((sum, { text }) => sum + text.length, 0)
  return element('p', { class: 'outcome' }, [
    countedText(length, ['character', 'characters', '个字符']),
    ' · ',
    countedText(tokens, ['special token', 'special tokens', '个特殊 token']),
    ' (',
    element('span', { class: 'token' }, [say('marked so', '如此标出')]),
    ')',
  ])
}

/** Which versions write this prompt, and which another one; each can be chosen. */
function versionsView(
  { alike, version }: Extract<PromptAnswer, { kind: 'prompted' }>,
  onVersion: (version: string) => void,
): readonly HTMLElement[] {
  if (alike.flat().length < 2) return []
  return [
    element(
      'ul',
      { class: 'alike' },
      alike.map((versions) =>
        element('li', {}, [
          versions.includes(version) ? say('this prompt: ', '此提示词：') : say('another prompt: ', '另一提示词：'),
          ...versions.map((name) => button(name, () => onVersion(name), { 'aria-pressed': String(name === version) })),
        ]),
      ),
    ),
  ]
}

/** So many places are listed. */
const MOST_LISTED = 20

/** A server that reads special tokens in texts takes these for the format's own. */
function spelledView(spelled: readonly TokenInText[]): readonly HTMLElement[] {
  if (spelled.length === 0) return []
  const places = spelled.slice(0, MOST_LISTED)
  return [
    element('div', { class: 'notice' }, [
      element('p', {}, [
        say(
          'Texts that do not come from the model spell markers of the format (token-in-text):',
          '非模型文本中出现了格式标记（token-in-text）：',
        ),
      ]),
      element(
        'ul',
        {},
        places.map(({ where, token, start, end }) =>
          element('li', {}, [
            element('code', {}, [shortened(where, 200)]),
            ' ',
            element('code', {}, [token]),
            ` ${start}–${end}`,
          ]),
        ),
      ),
      spelled.length > places.length ? element('p', {}, [`+${spelled.length - places.length}`]) : null,
    ]),
  ]
}

/** So much of a prompt is shown, in UTF-16 units. */
const MOST_SHOWN = 200_000

/** The prompt, with its special tokens distinguished from text with the same characters. */
function partsView(parts: readonly PromptPart[]): HTMLElement {
  const view = element('pre', { class: 'marked prompt-text', tabindex: '0', 'aria-label': 'prompt / 提示词' })
  let left = MOST_SHOWN
  for (const { kind, text } of parts) {
    if (left <= 0) break
    view.append(element('span', kind === 'token' ? { class: 'token' } : {}, [text.slice(0, left)]))
    left -= text.length
  }
  if (left < 0) view.append(element('span', { class: 'quiet' }, [' …']))
  return view
}
