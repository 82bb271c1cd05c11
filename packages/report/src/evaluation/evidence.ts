import { REPAIR_MEANS } from '@callspec/eval'

/** What shows a fault, without the words with which its cause is named already. */
export function evidenceBehind({
  detail,
  evidence,
}: {
  readonly detail: string | null
  readonly evidence: string
}): string {
  if (detail === null || !Object.hasOwn(REPAIR_MEANS, detail)) return evidence
  const named = REPAIR_MEANS[detail as keyof typeof REPAIR_MEANS]
  const isTwice = evidence.startsWith(`${named}, `) || evidence.startsWith(`${named}; `)
  return isTwice ? evidence.slice(named.length + 2) : evidence
}
