/** Headers of an endpoint by name, such as `{ 'api-key': '…' }`. They may be keys, and stand in no file. */
export type EndpointHeaders = Readonly<Record<string, string>>

/** Without a key of its own a client sends this one, which servers on this machine take. */
export const DUMMY_KEY = 'EMPTY'

/** They belong to the message, not to the endpoint. */
const OURS: ReadonlySet<string> = new Set([
  ...[
    'accept-encoding',
    'connection',
    'content-encoding',
    'content-length',
    'content-type',
    'expect',
    'host',
    'keep-alive',
  ],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
])

/** What is wrong with a header, without its value; null when nothing is. */
export function headerFault(name: string, value: string): string | null {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return `${JSON.stringify(name.slice(0, 40))} is no name of a header`
  if (OURS.has(name.toLowerCase())) return `the header ${name} is not yours to set`
  if (value.trim() === '') return `the header ${name} has no value`
  if (!/^[\t\u0020-\u007e\u0080-\u00ff]+$/.test(value))
    return `the value of the header ${name} holds a line break or a letter that no header can hold`
  return null
}

/** What OpenAI's own variables say of the account that is to pay. */
export function accountHeaders(environment: Readonly<Record<string, string | undefined>>): EndpointHeaders {
  const given = [
    ['openai-organization', environment['OPENAI_ORG_ID']?.trim() ?? ''],
    ['openai-project', environment['OPENAI_PROJECT_ID']?.trim() ?? ''],
  ] as const
  return Object.fromEntries(given.filter(([name, value]) => headerFault(name, value) === null))
}
