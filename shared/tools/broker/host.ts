import { isIP } from 'node:net'
import { AddressRefused, checkUrl } from '#shared/platform/http-client/public-url.ts'

/** A DNS name of at least two labels; some names contain underscores. */
const name =
  /^(?=.{1,253}$)(?:[a-z0-9_](?:[\w-]{0,61}[a-z0-9_])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Checks a host without network access. Each connection checks the addresses that its name resolves to.
 * @param allowed FETCH_ALLOW_HOSTS; empty when deployed
 * @returns the fault, or undefined if the host is valid
 */
export function hostFault(host: string, allowed: readonly string[]): string | undefined {
  const url = URL.parse(`https://${host}/`)
  // URL drops :443 and rewrites upper case, numbers in other bases and other scripts.
  if (url === null || url.host !== host || url.username !== '' || url.pathname !== '/')
    return 'must be a lower-case name, with its port behind ":" when that is not 443'
  try {
    if (checkUrl(url, allowed, true)) return undefined
  } catch (error) {
    if (error instanceof AddressRefused) return 'must be a public host'
    throw error
  }
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) return 'must be a name, and no address'
  if (!name.test(url.hostname)) return 'must be the whole name of a host'
  return undefined
}
