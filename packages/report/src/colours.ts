/** The colours of the pages by name, on light and on dark ground; a test holds every text to a contrast of 4.5 (WCAG AA). */
export const COLOURS: Readonly<Record<'light' | 'dark', Readonly<Record<string, string>>>> = {
  light: {
    ...{ ground: '#ffffff', text: '#1b1f24', quiet: '#57606a', line: '#d0d7de', panel: '#f6f8fa', link: '#0550ae' },
    ...{ good: '#1a7f37', bad: '#b3261e', warn: '#8a5a00' },
    ...{
      s0: '#0550ae',
      s1: '#8250df',
      s2: '#1a7f37',
      s3: '#8a5a00',
      fine: '#c9d6e2',
      'fine-more': '#9bb0c4',
      'on-fine': '#111111',
    },
    ...{ mark: '#fff0b3', call: '#f3ecff', leak: '#ffe3e0' },
  },
  dark: {
    ...{ ground: '#14181d', text: '#e6edf3', quiet: '#9aa7b4', line: '#38414a', panel: '#1c2229', link: '#79b8ff' },
    ...{ good: '#5bd67a', bad: '#ff8d85', warn: '#e3b341' },
    ...{
      s0: '#79b8ff',
      s1: '#c8a6ff',
      s2: '#5bd67a',
      s3: '#e3b341',
      fine: '#3d4a57',
      'fine-more': '#5f7183',
      'on-fine': '#ffffff',
    },
    ...{ mark: '#4d4013', call: '#2d2340', leak: '#4a1d1a' },
  },
}

/**
 * Fills for kinds of failure, the same on light and dark ground: white text can be read on them, and they differ clearly from
 * either ground. None is green, which would say that something is good.
 */
export const PART_COLOURS: readonly string[] = [
  ...['#c0392b', '#b45309', '#8a6d00', '#5b5bd6', '#0e7490'],
  ...['#1d6fb8', '#7c3aed', '#a13d8f', '#a0522d', '#64748b'],
]

/** The text on them. */
export const ON_PART = '#ffffff'

/** The pairs of text colour and ground that the pages use. */
export const TEXT_ON: readonly (readonly [text: string, grounds: readonly string[]])[] = [
  ['text', ['ground', 'panel', 'mark', 'call', 'leak']],
  ['quiet', ['ground', 'panel']],
  ['link', ['ground', 'panel']],
  ['good', ['ground', 'panel']],
  ['bad', ['ground', 'panel']],
  ['warn', ['ground', 'panel']],
  ['on-fine', ['fine', 'fine-more']],
]

/** Custom properties of one of the two. */
export function colourRules(scheme: 'light' | 'dark'): string {
  return Object.entries(COLOURS[scheme])
    .map(([name, colour]) => `--${name}: ${colour};`)
    .join(' ')
}

/** A class per fill. */
export function partRules(): string {
  return PART_COLOURS.map((colour, index) => `.part-${index} { background: ${colour}; color: ${ON_PART} }`).join(' ')
}
