/** Makes elements one stop of the Tab key: arrows, Home and End lead from one to the other. */
export function arrowKeys(elements: readonly HTMLElement[], onMove: (index: number) => void = () => undefined): void {
  const [first] = elements
  if (first !== undefined && elements.every(({ tabIndex }) => tabIndex !== 0)) first.tabIndex = 0
  for (const [index, each] of elements.entries())
    each.addEventListener('keydown', (event) => {
      const to = target(event.key, { index, count: elements.length })
      const next = to === null ? undefined : elements[to]
      if (to === null || next === undefined) return
      event.preventDefault()
      for (const other of elements) if (other.tabIndex === 0) other.tabIndex = -1
      next.tabIndex = 0
      next.focus()
      onMove(to)
    })
}

function target(key: string, { index, count }: { readonly index: number; readonly count: number }): number | null {
  switch (key) {
    case 'ArrowRight':
    case 'ArrowDown':
      return Math.min(index + 1, count - 1)
    case 'ArrowLeft':
    case 'ArrowUp':
      return Math.max(index - 1, 0)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}
