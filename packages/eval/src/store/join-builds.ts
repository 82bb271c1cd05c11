/** What is known of the engines of a run, with what they are now: a build is added where it is another one. */
export function joinBuilds(
  known: Readonly<Record<string, readonly string[]>>,
  now: Readonly<Record<string, string>>,
): Readonly<Record<string, readonly string[]>> {
  const added = Object.entries(now).map(
    ([model, build]) => [model, [...new Set([...(known[model] ?? []), build])]] as const,
  )
  return { ...known, ...Object.fromEntries(added) }
}
