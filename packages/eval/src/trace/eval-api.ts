/**
 * Where requests go: messages to `/chat/completions`, `/messages` or `/responses`; with `completions` the whole prompt as one ChatML text,
 * so that its bytes are ours. The last is not for a host that sends tools as such: the server would have to write them into the prompt.
 */
export type EvalApi = (typeof EVAL_APIS)[number]

/** All of them. */
export const EVAL_APIS = ['chat', 'completions', 'messages', 'responses'] as const

/** Between a format and the API over which it is asked, in runs that compare several APIs: `native@messages`. */
const OVER = '@'

/** The name of a format in a run that asks it over several APIs: each is a row of its own, compared in pairs as formats are. */
export function formatOver(name: string, api: EvalApi): string {
  return `${name}${OVER}${api}`
}

/** The parts of such a name; the API is null where the run has one for all formats. */
export function formatParts(name: string): { readonly bare: string; readonly api: EvalApi | null } {
  const at = name.lastIndexOf(OVER)
  const api = at < 0 ? undefined : EVAL_APIS.find((each) => each === name.slice(at + 1))
  return api === undefined ? { bare: name, api: null } : { bare: name.slice(0, at), api }
}

/** The APIs of a run, in the order of its rows. */
export function apisOf({
  protocols,
  api,
}: {
  readonly protocols: readonly string[]
  readonly api: EvalApi
}): readonly EvalApi[] {
  return [...new Set(protocols.map((name) => formatParts(name).api ?? api))]
}

/** Whether two rows of a model differ in one thing, the format or the API: such rows are compared. */
export function differInOne(one: string, other: string): boolean {
  const [left, right] = [formatParts(one), formatParts(other)]
  return (left.bare === right.bare) !== (left.api === right.api)
}
