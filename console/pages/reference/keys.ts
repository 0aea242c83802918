/** `/` focuses the search. The arrow keys move between the search and its results. */
export function startKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    const { target, key } = event
    if (!(target instanceof Element)) return
    if (key === '/' && isForUs(target)) {
      document.querySelector<HTMLElement>('[type=search]')?.focus()
      event.preventDefault()
    }
    const list = target.closest('.operations')
    if (list === null || (key !== 'ArrowDown' && key !== 'ArrowUp')) return
    const stops = [...list.querySelectorAll<HTMLElement>('input, a')]
    const now = stops.findIndex((stop) => stop === target)
    stops[now + (key === 'ArrowDown' ? 1 : -1)]?.focus()
    event.preventDefault()
  })
}

/** Single-key shortcuts work outside text fields, unless the console's setting turns them off (WCAG 2.1.4). */
function isForUs(target: Element): boolean {
  return (
    target.closest('input, textarea, select') === null &&
    localStorage.getItem('single-keys') !== 'off'
  )
}
