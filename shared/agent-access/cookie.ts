/** As long as an agent is used in one sitting; the link to it is asked for anew after that. */
export const accessSeconds = 12 * 60 * 60

/** What is the platform's own among the cookies of a request, and no agent's to see. */
const sessionCookie = 'service-session'

/** More of one name than any browser has for an honest reason. */
const most = 4

/**
 * The cookie that lets a browser reach an agent, on that agent's own host only. With the prefix, which needs TLS, no
 * neighbour under the same domain can set it; without it a neighbour's is one more that proves nothing.
 */
export function accessCookie(deployed: boolean): string {
  return deployed ? '__Host-agent-access' : 'agent-access'
}

/** The value of a Set-Cookie header that begins access. */
export function setAccessCookie(value: string, deployed: boolean): string {
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Lax', `Max-Age=${accessSeconds}`]
  if (deployed) attributes.push('Secure')
  return [`${accessCookie(deployed)}=${value}`, ...attributes].join('; ')
}

/** The access cookies of a Cookie header; a crowd of them counts as none. */
export function accessCookies(header: string, deployed: boolean): string[] {
  const name = accessCookie(deployed)
  const values = pairsOf(header).flatMap((pair) => (pair.name === name ? [pair.value] : []))
  const distinct = [...new Set(values)]
  return distinct.length > most ? [] : distinct
}

/** A Cookie header without what is the platform's own; empty where nothing is left. */
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
