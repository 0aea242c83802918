/** The longest redirect URI that is stored. */
const maxLength = 500

/** This machine's three names, exactly as written: RFC 8252, 7.3. */
const loopback = /^(https?:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d+)?(?=[/?]|$)/

/**
 * Schemes that a browser or the system handles itself: script, content, browser pages, mail, files, shells and
 * settings. No program can register them.
 */
const reserved = new Set(
  `about acct blob callto chrome chrome-error chrome-extension chrome-search chrome-untrusted content data devtools dns
  edge facetime feed file filesystem ftp ftps geo git gopher imap intent irc isolated-app jar javascript ldap ldaps
  livescript mailto mk mms mocha moz-extension moz-icon nfs news nntp opera pop res resource rtsp safari-extension
  safari-web-extension search sftp shell sip sips sms smb ssh svn tel telnet urn vbscript view-source webcal ws wss wyciwyg
  x-apple-helpbasic`.split(/\s+/),
)

/** Schemes of programs and settings of operating systems. */
const reservedBeginnings = /^(ms-|microsoft-edge|search-ms|itms|android-app|x-apple|brave|vivaldi)/

/**
 * True for a valid redirect URI (contract.md 12): https, http to this machine, or a private-use scheme (RFC 8252, 7.1).
 * False for a URI that a browser would change while parsing it.
 */
export function isRedirect(text: string): boolean {
  // Rejects tabs, line ends and backslashes, which the URL parser would remove before the comparison below.
  if (text.length > maxLength || !/^[a-z][a-z\d+.-]*:[\x21-\x5b\x5d-\x7e]+$/.test(text))
    return false
  if (!URL.canParse(text) || text.includes('#')) return false
  const { protocol, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  if (protocol === 'http:') return loopback.test(text)
  if (protocol === 'https:') return text.startsWith('https://')
  const scheme = protocol.slice(0, -1)
  return !reserved.has(scheme) && !reservedBeginnings.test(scheme)
}

/** Returns whether a redirect URI is registered: an exact match, except for the port of this machine. */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  return isRedirect(uri) && registered.some((one) => withoutPort(one) === withoutPort(uri))
}

/** Removes the port: programs on a person's machine take any free port (RFC 8252, 7.3). */
function withoutPort(text: string): string {
  return text.startsWith('http:') ? text.replace(loopback, '$1') : text
}

/**
 * True if a redirect is allowed without the user's consent. Anyone can register a program with any https address or
 * scheme, so an invalid request could turn this server into an open redirector: RFC 9700, 4.11.2.
 */
export function isOwnMachine(redirectUri: string): boolean {
  return loopback.test(redirectUri)
}

/** Returns the target of a redirect for the consent page: its host, or `scheme:` for a private-use scheme. */
export function hostOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  return protocol === 'http:' || protocol === 'https:' ? host : protocol
}

/** Returns the redirect URI with an answer in its query. */
export function withAnswer(
  redirectUri: string,
  answer: Readonly<Record<string, string | undefined>>,
): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(answer))
    if (value !== undefined) url.searchParams.set(name, value)
  return url.href
}
