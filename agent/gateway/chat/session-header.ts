/**
 * Returns the header that names the session of a turn. If a call needs an approval, the platform sends its outcome to
 * this session: contract.md 17.
 */
export function sessionHeader(sessionId: string | undefined): Record<string, string> {
  return sessionId === undefined
    ? {}
    : { 'x-session': encodeURIComponent(sessionId.toWellFormed()) }
}
