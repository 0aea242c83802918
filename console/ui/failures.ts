/** What asks again for each thing of the page that could not be loaded. */
const failed = new Set<() => void>()

/** What those failed with. */
const causes = new WeakSet<object>()

/** Keeps a load that failed in the list of those that the page asks for again once the browser is online. @param again asks for it once more */
export function noteFailure(error: unknown, again: () => void): void {
  failed.add(again)
  if (typeof error === 'object' && error !== null) causes.add(error)
}

/** It was loaded after all, or is no longer wanted. */
export function forgetFailure(again: () => void): void {
  failed.delete(again)
}

/** Whether asking again may help against an error, because it is one of loading. */
export function isOfLoading(error: unknown): boolean {
  return typeof error === 'object' && error !== null && causes.has(error)
}

/** Asks once more for all that the page could not load. */
export function askAgain(): void {
  for (const again of failed) again()
}
