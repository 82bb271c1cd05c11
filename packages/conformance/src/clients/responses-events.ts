import type { Json, JsonMap, StreamEvent } from './client-stream.ts'
import type { DraftChange, StreamChange } from './stream-change.ts'
import { mapped, memberOf, withMember } from './stream-change.ts'
import { numbered } from './write-responses.ts'

type EventTest = (event: StreamEvent) => boolean

const typeOf = (event: StreamEvent): string => String(memberOf(event, ['type']) ?? '')
export const is =
  (...types: readonly string[]) =>
  (event: StreamEvent): boolean =>
    types.includes(typeOf(event).replace(/^response\./, ''))

export const isAdded: EventTest = is('output_item.added')
export const isDone: EventTest = is('output_item.done')
export const isEnd: EventTest = is('completed', 'incomplete', 'failed')
export const isPiece: EventTest = is('function_call_arguments.delta')
export const isText: EventTest = is('output_text.delta')
export const isOf =
  (type: string, isWanted: (event: StreamEvent) => boolean) =>
  (event: StreamEvent): boolean =>
    isWanted(event) && memberOf(event, ['item', 'type']) === type

/** Makes the change, and numbers the events again. */
export function changing(apply: StreamChange['apply']): StreamChange['apply'] {
  return (draft, random) => {
    const made = apply(draft, random)
    return made?.events === undefined ? made : { ...made, events: numbered(made.events) }
  }
}

/** Changes an item of the final response. */
export function inFinal(
  type: string,
  path: readonly (string | number)[],
  to: (value: Json | undefined) => Json | undefined,
): DraftChange {
  return (draft) =>
    mapped(draft, (event) => {
      const at = isEnd(event) ? finalItems(event).findIndex((item) => item['type'] === type) : -1
      const whole = ['response', 'output', at, ...path]
      return at < 0 ? event : withMember(event, whole, to(memberOf(event, whole)))
    })
}

export function finalItems(event: StreamEvent): readonly JsonMap[] {
  return (memberOf(event, ['response', 'output']) ?? []) as readonly JsonMap[]
}

/** Changes the final output as a whole. */
export function finalOutput(to: (items: readonly JsonMap[]) => readonly JsonMap[]): DraftChange {
  return (draft) =>
    mapped(draft, (event) => (isEnd(event) ? withMember(event, ['response', 'output'], to(finalItems(event))) : event))
}
