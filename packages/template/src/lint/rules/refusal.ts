import type { Sighting, View } from '../view.ts'

/** That a conversation is refused, while the same one without what is looked at is not. */
export function refusal(view: View, probe: string, usual: string): Sighting | null {
  const raise = view.raise(probe)
  if (raise === null || isSandboxRefusal(raise) || view.text(usual) === null) return null
  return { probe, detail: raise, spot: null }
}

/** Whether a conversation fails because of the sandbox in which templates are rendered; a server says it in its own error. */
export function isSandboxRefusal(raise: string): boolean {
  return /\bSecurityError\b|access to attribute '[^']{1,80}' of '[^']{1,80}' object is unsafe/.test(raise)
}
