/** The longest that is kept of a redirect URI. */
const maxLength = 500

const loopback = new Set(['127.0.0.1', '[::1]'])

/** contract.md 12: https, or http to this machine itself; what a browser would read in another way is none. */
export function isRedirect(text: string): boolean {
  // A URL drops tabs, line ends and backslashes, which the comparison below must not.
  if (text.length > maxLength || !/^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/.test(text)) return false
  if (!URL.canParse(text) || text.includes('#')) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || loopback.has(hostname)
}

/** Whether a redirect URI is one of those registered: to the letter, but for the port of one to this machine. */
export function isRegistered(given: string, registered: readonly string[]): boolean {
  return isRedirect(given) && registered.some((one) => withoutPort(one) === withoutPort(given))
}

/** Programs on a person's machine take whichever port is free: RFC 8252, 7.3. */
function withoutPort(text: string): string {
  return text.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d+)?(?=[/?]|$)/, '$1')
}

/**
 * Whether a browser may be sent there without its user's word. Whoever wants to registers a program with any https
 * address, so that a link to this server would lead there by a request that is wrong on purpose: RFC 9700, 4.11.2.
 */
export function isOwnMachine(redirectUri: string): boolean {
  return loopback.has(new URL(redirectUri).hostname)
}

/** What a person is told of where a redirect leads: its host, and `scheme:` of a program's own scheme. */
export function hostOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  return protocol === 'http:' || protocol === 'https:' ? host : protocol
}

/** Where the browser goes with an answer. */
export function withAnswer(
  redirectUri: string,
  answer: Readonly<Record<string, string | undefined>>,
): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(answer))
    if (value !== undefined) url.searchParams.set(name, value)
  return url.href
}
