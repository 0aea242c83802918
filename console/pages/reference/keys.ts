/** `/` goes to the search; the arrows move between it and what it found. */
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

/** Whether a single key means something there: it is not written in, and the console's switch allows them (WCAG 2.1.4). */
function isForUs(target: Element): boolean {
  return (
    target.closest('input, textarea, select') === null &&
    localStorage.getItem('single-keys') !== 'off'
  )
}
