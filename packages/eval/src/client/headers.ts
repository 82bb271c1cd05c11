/** Headers of an endpoint by name, such as `{ 'api-key': '…' }`. They may be keys, and are never written to disk. */
export type EndpointHeaders = Readonly<Record<string, string>>

/** Sent without a configured key; local servers accept it. */
export const DUMMY_KEY = 'EMPTY'

/** Headers of the message, which an endpoint cannot set. */
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

/** A message without the value; null for a valid header. */
export function headerFault(name: string, value: string): string | null {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return `${JSON.stringify(name.slice(0, 40))} is not a name of a header`
  if (OURS.has(name.toLowerCase())) return `the header ${name} cannot be set`
  if (value.trim() === '') return `the header ${name} has no value`
  if (!/^[\t\u0020-\u007e\u0080-\u00ff]+$/.test(value))
    return `the value of the header ${name} holds a line break or a letter that no header can hold`
  return null
}

/** The account to be billed, by the variables of OpenAI. */
export function accountHeaders(environment: Readonly<Record<string, string | undefined>>): EndpointHeaders {
  const given = [
    ['openai-organization', environment['OPENAI_ORG_ID']?.trim() ?? ''],
    ['openai-project', environment['OPENAI_PROJECT_ID']?.trim() ?? ''],
  ] as const
  return Object.fromEntries(given.filter(([name, value]) => headerFault(name, value) === null))
}
