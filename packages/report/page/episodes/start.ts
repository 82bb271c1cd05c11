import type { EpisodeIndex } from '../../src/evaluation/episode-index.ts'
import { isParsed } from './blocks.ts'
import { unpack } from './unpack.ts'
import { startViewer } from './viewer.ts'

/** Unpacks the index when somebody comes near the episodes, or follows an address into them: the first screen pays for none of it. */
export function startEpisodes(page: Document): void {
  const host = page.getElementById('viewer')
  const view = page.defaultView
  if (host === null || view === null) return
  let isStarted = false
  const start = (): void => {
    if (isStarted) return
    isStarted = true
    watch.disconnect()
    void isParsed(page)
      .then(() => unpack(page.getElementById('episode-index')?.textContent ?? ''))
      .then((index) => startViewer(page, host, index as EpisodeIndex))
  }
  const watch = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && start())
  const leadsHere = (): boolean => /^#episodes?\b/.test(view.location.hash)
  watch.observe(host)
  view.addEventListener('hashchange', () => leadsHere() && start())
  if (leadsHere()) start()
}
