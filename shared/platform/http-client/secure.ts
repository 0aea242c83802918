/** Returns whether a server is on the local machine, where TLS is not required. */
function isLoopback({ hostname }: URL): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

/**
 * Returns whether requests to an address may be sent without TLS: only to the local machine, and never from a deployed
 * function.
 */
export function mayBePlain(url: URL, deployed: boolean): boolean {
  return !deployed && url.protocol === 'http:' && isLoopback(url)
}

/** @throws Error for an address that would be called without TLS */
export function requireSecure(url: URL, deployed: boolean): URL {
  if (url.protocol !== 'https:' && !mayBePlain(url, deployed))
    throw new Error(`${url.origin} must be an https address`)
  return url
}
