import { escapeHtml } from './html.ts'
import type { Scoreboard } from '@callspec/conformance'
import { sumCells } from '@callspec/conformance'

/** What a badge says. */
export interface Badge {
  /** Left, such as `callspec nous`. */
  readonly label: string
  /** Right, such as `61 of 61`. */
  readonly value: string
  readonly tone: 'good' | 'some' | 'bad' | 'none'
}

const COLOURS: Readonly<Record<Badge['tone'], string>> = {
  good: '#1a7f37',
  some: '#8a5a00',
  bad: '#b3261e',
  none: '#57606a',
}

/** About the width of a character at 11 px; a badge need not fit to the pixel. */
const CHARACTER = 6.6
const [PADDING, HEIGHT] = [14, 20]

/** A badge as an SVG file that loads nothing. White on these colours has a contrast of 4.5 and more. */
export function renderBadge({ label, value, tone }: Badge): string {
  const [left, right] = [widthOf(label), widthOf(value)]
  const text = (content: string, x: number): string =>
    `<text x="${x.toFixed(1)}" y="14" text-anchor="middle" fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${escapeHtml(content)}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${(left + right).toFixed(1)}" height="${HEIGHT}" role="img" aria-label="${escapeHtml(`${label}: ${value}`)}">
<title>${escapeHtml(`${label}: ${value}`)}</title>
<rect width="${left.toFixed(1)}" height="${HEIGHT}" fill="#24292f"/><rect x="${left.toFixed(1)}" width="${right.toFixed(1)}" height="${HEIGHT}" fill="${COLOURS[tone]}"/>
${text(label, left / 2)}
${text(value, left + right / 2)}
</svg>
`
}

/** Chinese characters are twice as wide. */
function widthOf(text: string): number {
  let units = 0
  for (const character of text) units += /[\u1100-\uffe6]/.test(character) ? 1.8 : 1
  return units * CHARACTER + PADDING
}

/** The badge of an implementation: its newest version, all cases that it was asked. */
export function badgeOf({ implementation, results }: Scoreboard): Badge {
  const [newest] = results
  const { passed, failed, errored } = sumCells(newest?.cells ?? [])
  const asked = passed + failed + errored
  const tone = asked === 0 ? 'none' : passed === asked ? 'good' : passed * 10 >= asked * 9 ? 'some' : 'bad'
  return { label: `callspec ${implementation}`, value: asked === 0 ? 'not run' : `${passed} of ${asked}`, tone }
}

/** The badge as an SVG file. */
export function renderScoreBadge(scoreboard: Scoreboard): string {
  return renderBadge(badgeOf(scoreboard))
}
