/** The length of a session with an agent. After that, the user requests a new link. */
export const accessSeconds = 12 * 60 * 60

/** The platform's own cookie, which agents must not see. */
const sessionCookie = 'service-session'

/** The maximum number of cookies with this name; browsers send fewer in normal use. */
const maxCookies = 4

/**
 * Returns the name of the access cookie, which is only valid on the agent's own host. With the prefix, which requires
 * TLS, no sibling host can set it. Without the prefix, a cookie that a sibling host has set is rejected as invalid.
 */
function accessCookie(deployed: boolean): string {
  return deployed ? '__Host-agent-access' : 'agent-access'
}

/** Returns the Set-Cookie header that starts access. */
export function setAccessCookie(value: string, deployed: boolean): string {
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Lax', `Max-Age=${accessSeconds}`]
  if (deployed) attributes.push('Secure')
  return [`${accessCookie(deployed)}=${value}`, ...attributes].join('; ')
}

/** Returns the access cookies of a Cookie header. Empty if there are too many. */
export function accessCookies(header: string, deployed: boolean): string[] {
  const name = accessCookie(deployed)
  const values = pairsOf(header).flatMap((pair) => (pair.name === name ? [pair.value] : []))
  const distinct = [...new Set(values)]
  return distinct.length > maxCookies ? [] : distinct
}

/** Returns a Cookie header without the platform's cookies. Can be empty. */
export function cookiesForAgent(header: string, deployed: boolean): string {
  const own = new Set([sessionCookie, accessCookie(deployed)])
  return pairsOf(header)
    .filter(({ name, text }) => !own.has(name) && /^[\x20-\x7e]*$/.test(text))
    .map(({ text }) => text)
    .join('; ')
}

function pairsOf(header: string): { name: string; value: string; text: string }[] {
  return header
    .split(';')
    .map((part) => part.trim())
    .filter(Boolean)
    .map((text) => {
      const [name = '', ...value] = text.split('=')
      return { name: name.trim(), value: value.join('=').trim(), text }
    })
}
