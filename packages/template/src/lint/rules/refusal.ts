import type { Sighting, View } from '../view.ts'

/** That a conversation is refused, while the same one without what is looked at is not. */
export function refusal(view: View, probe: string, usual: string): Sighting | null {
  const raise = view.raise(probe)
  if (raise === null || view.text(usual) === null) return null
  return { probe, detail: raise, spot: null }
}
