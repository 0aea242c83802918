/**
 * Lets one of the browser's tabs do something while it is visible. When it is hidden or closed, another one takes over.
 * @param name the name of the work, the same in all tabs
 * @param lead called when it is this tab's turn; returns a function that ends it
 * @returns a function that leaves the rotation
 */
export function leadOneTab(name: string, lead: () => () => void): () => void {
  let turn: AbortController | undefined
  const come = () => {
    if (document.hidden || turn !== undefined) return
    const own = new AbortController()
    const { signal } = own
    turn = own
    const led = (): Promise<void> => {
      const end = lead()
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(end()))
        if (signal.aborted) resolve(end())
      })
    }
    navigator.locks.request(name, { signal }, led).catch((error: unknown) => {
      // The tab was hidden before its turn.
      if (!signal.aborted) throw error
    })
  }
  const leave = () => {
    turn?.abort()
    turn = undefined
  }
  const look = () => (document.hidden ? leave() : come())
  document.addEventListener('visibilitychange', look)
  come()
  return () => {
    document.removeEventListener('visibilitychange', look)
    leave()
  }
}
