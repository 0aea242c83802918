/** In characters. */
const maxLength = 200

/** The session of calls outside a turn. */
export const otherSession = 'approvals'

/** Returns the agent's session that sends a request, as its gateway names it, percent-encoded: contract.md 17. */
export function sessionOf(headers: Headers): string {
  const session = decoded(headers.get('x-session') ?? '').trim()
  return session === '' || session.length > maxLength ? otherSession : session
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
