import type { EpisodeData, TurnData } from '../../src/evaluation/episode-data.ts'
import { element, say } from '../dom.ts'
import { textView } from '../text-view.ts'
import type { OpenEpisode } from './open-episode.ts'

type Message = readonly [role: string, text: string]

/** What was sent, folded: what it says stands in the conversation already. It is taken apart when it is opened. */
export function promptView(turn: TurnData, number: number, { data, texts }: OpenEpisode): HTMLElement {
  const view = element('details', { class: 'prompt' }, [
    element('summary', {}, [
      number === 0 ? say('The prompt', '提示词') : say('What was new in the prompt', '提示词中新增的部分'),
    ]),
  ])
  const fill = (): void => {
    const before = promptBefore(data, number, turn, texts)
    if (before.length > 0)
      view.append(
        element('details', {}, [
          element('summary', {}, [say('what had been sent before', '之前已发送的部分')]),
          ...before.map((each) => message(each, 'old')),
        ]),
      )
    view.append(...turn.added.map(([role, text]) => message([role, texts[text] ?? ''], 'new')))
  }
  view.addEventListener('toggle', fill, { once: true })
  return view
}

function message([role, text]: Message, age: 'new' | 'old'): HTMLElement {
  return element('div', { class: `message ${age}` }, [element('p', { class: 'role' }, [role]), textView(text)])
}

/** The messages that were kept, put together from the turns before; of a raw prompt its first units. */
function promptBefore(
  { turns }: EpisodeData,
  number: number,
  { kept, isRaw }: TurnData,
  texts: readonly string[],
): readonly Message[] {
  let messages: Message[] = []
  for (const turn of turns.slice(0, number)) {
    const added = turn.added.map(([role, text]) => [role, texts[text] ?? ''] as const)
    if (turn.isRaw) messages = [['prompt', (messages[0]?.[1] ?? '').slice(0, turn.kept) + (added[0]?.[1] ?? '')]]
    else messages = [...messages.slice(0, turn.kept), ...added]
  }
  if (isRaw) return kept === 0 ? [] : [['prompt', (messages[0]?.[1] ?? '').slice(0, kept)]]
  return messages.slice(0, kept)
}
