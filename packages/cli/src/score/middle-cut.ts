/** A long name without its middle, at most `width` characters: names of models differ at the end. */
export function middleCut(name: string, width: number): string {
  const characters = [...name]
  if (characters.length <= width) return name
  const end = Math.floor((width - 1) / 2)
  return [...characters.slice(0, width - 1 - end), '…', ...characters.slice(-end)].join('')
}
