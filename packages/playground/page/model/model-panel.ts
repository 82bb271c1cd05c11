import type { ModelFiles } from '@callspec/inspect'
import { element, say } from '@callspec/report/page'
import type { ShownTemplate } from '../../src/model-answer.ts'
import { EXAMPLE } from '../../src/state.ts'
import type { PlaygroundState } from '../../src/state.ts'
import { requestFields } from '../parts.ts'
import type { Panel } from '../parts.ts'
import type { PanelParts } from '../reply/reply-panel.ts'
import { promptView } from '../prompt/prompt-panel.ts'
import { renderView, tooLong } from '../template/template-panel.ts'
import { modelSource } from './model-source.ts'
import { commandView, differenceView, glanceView, section, sectionsOf } from './model-views.ts'

/** The files of a model, and what they mean for its tool calls. */
export function modelPanel({ asker, change }: Pick<PanelParts, 'asker' | 'change'>): Panel {
  let own: ModelFiles | null = null
  let other: ModelFiles | null = null
  const results = modelResults(asker)
  const compare = (): void => {
    if (own !== null && other !== null) results.compare(own, other)
  }
  const source = modelSource({
    id: 'model',
    label: say('The files of a model', '模型的文件'),
    onAddress: (text) => change({ model: text }),
    onFiles: (files) => {
      own = files
      against.offerPrevious(files)
      results.inspect(files)
      compare()
    },
  })
  const against = modelSource({
    id: 'against',
    label: say('Another copy or revision', '另一份或另一个版本'),
    onAddress: (text) => change({ against: text }),
    onFiles: (files) => {
      other = files
      compare()
    },
  })
  const fields = requestFields('model', change)
  return {
    view: element('div', {}, [
      source.view,
      element('details', {}, [
        element('summary', {}, [say('Compare with another copy', '与另一份比较')]),
        against.view,
      ]),
      element('details', {}, [element('summary', {}, [say('Tools and conversation', '工具与对话')]), fields.view]),
      ...results.views,
    ]),
    update: (state) => {
      source.setAddress(state.model)
      against.setAddress(state.against)
      fields.update(state)
      results.render(state)
    },
  }
}

interface ModelResults {
  readonly views: readonly HTMLElement[]
  readonly inspect: (files: ModelFiles) => void
  readonly compare: (files: ModelFiles, other: ModelFiles) => void
  /** Renders the conversation of the page with the template of the model, if there is one. */
  readonly render: (state: PlaygroundState) => void
}

function modelResults(asker: PanelParts['asker']): ModelResults {
  let state: PlaygroundState = EXAMPLE
  let template: ShownTemplate | null = null
  const prompt = element('div', { 'aria-live': 'polite' })
  const glance = element('div', {})
  const result = element('div', { class: 'result', 'aria-live': 'polite' })
  const difference = element('div', { class: 'difference', 'aria-live': 'polite' })
  let format: string | undefined
  const render = (): void => {
    if (template === null) {
      // Without a chat template, as its format writes it.
      if (format === undefined) return
      asker.ask('prompt', { format, version: '', ...conversationIn(state) }, (answer) =>
        prompt.replaceChildren(...(answer === null ? [tooLong()] : promptView(answer, () => undefined))),
      )
      return
    }
    const { text, tokens } = template
    asker.ask('render', { template: text, tokens, ...conversationIn(state) }, (answer) =>
      prompt.replaceChildren(answer === null ? tooLong() : renderView(answer)),
    )
  }
  const inspect = (files: ModelFiles): void => {
    template = null
    format = undefined
    for (const each of [glance, difference, result]) each.replaceChildren()
    asker.ask('model', { files }, (answer) => {
      if (answer === null) result.replaceChildren(tooLong())
      else if (answer.kind === 'wrong')
        result.replaceChildren(element('p', { class: 'bad' }, [element('span', { lang: 'en-GB' }, [answer.message])]))
      else {
        template = answer.model.template
        const { first, others } = sectionsOf(answer.model)
        const more = commandView(
          template === null
            ? `render request.json --format ${answer.model.format.formats[0] ?? 'NAME'}`
            : 'template render FOLDER --variables request.json',
        )
        format = answer.model.format.formats[0]
        const prompted =
          template === null && format === undefined ? [] : [section(say('Prompt', '提示词'), [prompt, more])]
        glance.replaceChildren(glanceView(answer.model))
        result.replaceChildren(...first, ...prompted, ...others)
        render()
      }
    })
  }
  return {
    views: [glance, difference, result],
    inspect,
    compare: (files, other) =>
      asker.ask('difference', { files, other }, (answer) =>
        difference.replaceChildren(...(answer === null ? [tooLong()] : differenceView(answer))),
      ),
    render: (next) => {
      state = next
      render()
    },
  }
}

/** A page that was opened with tools alone has no conversation yet. */
function conversationIn({ tools, conversation }: PlaygroundState): Pick<PlaygroundState, 'tools' | 'conversation'> {
  if (conversation.trim() !== '') return { tools, conversation }
  return { tools: tools.trim() === '' ? EXAMPLE.tools : tools, conversation: EXAMPLE.conversation }
}
