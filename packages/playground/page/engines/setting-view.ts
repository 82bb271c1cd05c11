import { button, element, say } from '@callspec/report/page'
import type { Setting } from '../../src/engines/engine-records.ts'
import { shortened } from '../parts/words.ts'

/** So much of the tools is shown, in UTF-16 units. */
const MOST_TOOLS = 300

/** How an engine was asked a text, where that was another way than the page is set; it can be done here as well. */
export function settingView({ tools, thoughtInContent, parallelCalls }: Setting, onAsk: () => void): HTMLElement {
  return element('p', { class: 'quiet' }, [
    say('Asked in another way: ', '当时的询问方式不同：'),
    tools === null ? say('without tools', '没有工具') : say('with the tools ', '使用工具 '),
    tools === null ? null : element('code', {}, [shortened(signatures(tools), MOST_TOOLS)]),
    thoughtInContent ? say(', inside a thought', '，已开始思考') : null,
    parallelCalls ? say(', all calls counted', '，计入全部调用') : null,
    ' ',
    button(say('ask so here', '在此照做'), onAsk),
  ])
}

interface Tool {
  readonly name?: unknown
  readonly function?: Tool
  readonly parameters?: { readonly properties?: Readonly<Record<string, { readonly type?: unknown }>> }
}

/** `put(x: string|null)`: types decide how values that stand as text are read. */
function signatures(tools: string): string {
  return (JSON.parse(tools) as readonly Tool[])
    .map((tool) => {
      const { name, parameters } = tool.function ?? tool
      const given = Object.entries(parameters?.properties ?? {})
      return `${String(name ?? '')}(${given.map(([key, { type }]) => `${key}${typeText(type)}`).join(', ')})`
    })
    .join(', ')
}

function typeText(type: unknown): string {
  if (type === undefined) return ''
  return `: ${Array.isArray(type) ? type.join('|') : String(type)}`
}
