/**
 * Returns the header that names the session of a turn to the platform, which answers there when a person has decided
 * about a call: contract.md 17.
 */
export function sessionHeader(sessionId: string | undefined): Record<string, string> {
  return sessionId === undefined
    ? {}
    : { 'x-session': encodeURIComponent(sessionId.toWellFormed()) }
}
