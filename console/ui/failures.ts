/** What asks again for each thing of the page that could not be loaded. */
const failed = new Set<() => void>()

/** What those failed with. */
const causes = new WeakSet<object>()

let asked = 0

/** How often the page was asked once more for what it could not load: what fails later, but was asked for before, is meant too. */
export function timesAskedAgain(): number {
  return asked
}

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
  asked++
  for (const again of failed) again()
}
