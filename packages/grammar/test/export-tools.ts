import { EXPORT_SYNTAXES, type GrammarTool } from '../src/index.ts'

/** A schema of an object. */
export const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more })
/** Tools with arguments of every type. */
export const EXPORT_TOOLS: readonly GrammarTool[] = [
  {
    name: 'get_weather',
    parameters: object(
      { city: { type: 'string' }, days: { type: 'integer' }, unit: { type: 'string', enum: ['c', 'f'] } },
      { required: ['city'] },
    ),
  },
  { name: 'clock', parameters: object({}) },
  {
    name: 'put',
    parameters: object(
      {
        key: { type: 'string' },
        size: { type: 'number' },
        keep: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' } },
        place: object({ x: { type: 'integer' }, y: { type: 'string' } }, { required: ['x'] }),
        limit: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      },
      { required: ['key'], additionalProperties: false },
    ),
  },
  {
    name: 'note',
    parameters: object({ title: { type: 'string' } }, { required: ['title'], additionalProperties: true }),
  },
]
/** Whether a text may have an object, as Python writes it, in which a key appears twice. */
export const hasRepeatedKey = (text: string): boolean =>
  [...text.matchAll(/["'](\w+)["']: /g)].some(([, key], index, all) =>
    all.slice(0, index).some(([, one]) => one === key),
  )
/** The syntaxes of exports that the acceptor reads; Lark has the rules of GBNF. */
export const READ_SYNTAXES = EXPORT_SYNTAXES.filter((syntax) => syntax !== 'lark')
