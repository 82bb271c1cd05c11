import { sumCells } from '@callspec/conformance'
import type { Scoreboard } from '@callspec/conformance'
import { renderBadge } from '../badge.ts'
import type { Badge } from '../badge.ts'

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
