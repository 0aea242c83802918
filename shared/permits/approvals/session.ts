/** The longest name of a session. */
const longest = 200

/** Returns the agent's session that sends a request, as its gateway names it: contract.md 17. */
export function sessionOf(headers: Headers): string {
  const session = headers.get('x-session')?.trim() ?? ''
  return session === '' || session.length > longest ? 'approvals' : session
}
