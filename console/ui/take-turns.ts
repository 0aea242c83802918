/**
 * Has one of the browser's tabs at a time do something while it is seen; when that one is hidden or closed, another goes on.
 * @param name of what is done, the same in all tabs
 * @param lead is called when it is this tab's turn @returns ends it
 * @returns leaves for good
 */
export function takeTurns(name: string, lead: () => () => void): () => void {
  let seen: AbortController | undefined
  const come = () => {
    if (document.hidden || seen !== undefined) return
    const own = new AbortController()
    const { signal } = own
    seen = own
    const led = (): Promise<void> => {
      const end = lead()
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(end()))
        if (signal.aborted) resolve(end())
      })
    }
    navigator.locks.request(name, { signal }, led).catch((error: unknown) => {
      // Hidden before its turn came.
      if (!signal.aborted) throw error
    })
  }
  const leave = () => {
    seen?.abort()
    seen = undefined
  }
  const look = () => (document.hidden ? leave() : come())
  document.addEventListener('visibilitychange', look)
  come()
  return () => {
    document.removeEventListener('visibilitychange', look)
    leave()
  }
}
