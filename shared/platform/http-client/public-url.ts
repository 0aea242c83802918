import ipaddr from 'ipaddr.js'
import { HttpFailure } from './failure.ts'
import { isPublicAddress } from './public-address.ts'

/**
 * Thrown if the platform may not connect to a user's address: because of its text, or because of the addresses that its
 * name resolves to.
 */
export class AddressRefused extends HttpFailure {
  constructor(message = 'the address is not allowed') {
    super('unreachable', message)
    this.name = 'AddressRefused'
  }
}

/** The allowed ports of pages. With other ports, callers could scan servers for services. */
const webPorts = new Set(['', '80', '443'])

/**
 * Checks the text of a URL, without the network: only http and https are allowed, no names of the local machine, only
 * public literal addresses, and only web ports. The URL parser has already normalized decimal, octal, hexadecimal and
 * short forms of IPv4. A name may still resolve to a private address, so the code that connects must check the resolved
 * address.
 * @param allowed FETCH_ALLOW_HOSTS: pairs of host and port that are allowed although they are private
 * @param anyPort true for hosts and ports that the owner of a credential has configured
 * @returns true if the URL is one of `allowed`, whose resolved addresses are not checked
 * @throws AddressRefused
 */
export function checkUrl(url: URL, allowed: readonly string[], anyPort = false): boolean {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new AddressRefused('the address must be an http or https URL')
  if (isAllowed(url, allowed)) return true
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const name = host.replace(/\.+$/, '')
  if (name === '' || name === 'localhost' || name.endsWith('.localhost')) throw new AddressRefused()
  if (ipaddr.isValid(name) && !isPublicAddress(name)) throw new AddressRefused()
  if (!anyPort && !webPorts.has(url.port)) throw new AddressRefused('its port must be 80 or 443')
  return false
}

function isAllowed(url: URL, allowed: readonly string[]): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return allowed.includes(`${url.hostname}:${port}`)
}
