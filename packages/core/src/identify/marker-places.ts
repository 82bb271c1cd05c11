/** Where texts stand in a reply; each is looked for once, whoever asks. */
export interface MarkerPlaces {
  /** The first place, in UTF-16 units; Infinity for none. */
  readonly first: (marker: string) => number
}

/** The places in a text. */
export function markerPlaces(text: string): MarkerPlaces {
  const found = new Map<string, number>()
  return {
    first: (marker) => {
      const known = found.get(marker)
      if (known !== undefined) return known
      const at = text.indexOf(marker)
      const place = at < 0 ? Infinity : at
      found.set(marker, place)
      return place
    },
  }
}
