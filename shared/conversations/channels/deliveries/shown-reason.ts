/** The longest reason in characters; a service's text can be longer. */
const longestReason = 500

/** Returns the reason of a delivery as its owner sees it. */
export function shownReason(reason: string): string {
  return reason.slice(0, longestReason).toWellFormed()
}
