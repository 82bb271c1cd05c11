import { element, say } from '@callspec/report/page'
import type { PlaygroundState } from '../../src/state/state.ts'
import { field } from '../parts/field.ts'
import type { Panel } from '../panel.ts'

/** Tools and conversation, which several sides use. */
export function requestFields(prefix: string, change: (change: Partial<PlaygroundState>) => void): Panel {
  const tools = field({
    id: `${prefix}-tools`,
    label: say('Tools (JSON5)', '工具（JSON5）'),
    rows: 10,
    onText: (text) => change({ tools: text }),
  })
  const conversation = field({
    id: `${prefix}-conversation`,
    label: say('Conversation (JSON5)', '对话（JSON5）'),
    rows: 10,
    onText: (text) => change({ conversation: text }),
  })
  const hint = say(
    'A list of messages, or an object with "messages" and options of the format, such as "add_generation_prompt".',
    '消息列表，或包含 "messages" 以及格式选项（如 "add_generation_prompt"）的对象。',
  )
  conversation.view.append(element('p', { class: 'quiet hint' }, [hint]))
  return {
    view: element('div', { class: 'sides' }, [tools.view, conversation.view]),
    update: (state) => {
      tools.set(state.tools)
      conversation.set(state.conversation)
    },
  }
}

/** What is wrong with which of the two. */
export function wrongView({
  where,
  message,
}: {
  readonly where: 'tools' | 'conversation'
  readonly message: string
}): HTMLElement {
  const name = where === 'tools' ? say('Tools: ', '工具：') : say('Conversation: ', '对话：')
  return element('p', { class: 'bad', role: 'status' }, [name, message])
}
