/** How often a live page asks for itself. */
const EVERY_MS = 1000

/**
 * Asks for the page again and replaces the parts with `data-live` whose content has changed, so that the chosen language, the scroll position and
 * the focus stay. A page that no longer has such a part, because the run has ended, is loaded as a whole.
 */
export function startLive(page: Document): void {
  if (page.querySelector('[data-live]') === null || !location.protocol.startsWith('http')) return
  let seen = ''
  const look = async (): Promise<void> => {
    if (page.hidden) return
    const response = await fetch(location.href.split('#')[0] ?? '', { cache: 'no-cache' })
    const text = await response.text()
    if (!response.ok || text === seen) return
    seen = text
    const next = new DOMParser().parseFromString(text, 'text/html')
    for (const old of page.querySelectorAll<HTMLElement>('[data-live]')) {
      const fresh = next.querySelector(`[data-live="${old.dataset['live'] ?? ''}"]`)
      if (fresh === null) return location.reload()
      if (fresh.innerHTML !== old.innerHTML) old.replaceWith(page.adoptNode(fresh))
    }
  }
  // The server may have ended: the page stays as it is.
  setInterval(() => void look().catch(() => undefined), EVERY_MS)
}
