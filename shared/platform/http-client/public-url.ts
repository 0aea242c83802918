import ipaddr from 'ipaddr.js'
import { HttpFailure } from './failure.ts'
import { isPublicAddress } from './public-address.ts'

/** An address that the platform does not speak to for a user, by what it says or by what it leads to. */
export class AddressRefused extends HttpFailure {
  constructor(message = 'the address is not one that may be spoken to') {
    super('unreachable', message)
    this.name = 'AddressRefused'
  }
}

/** Of pages; a caller who may name others could have the platform look for services of other people. */
const webPorts = new Set(['', '80', '443'])

/**
 * The first half of the guard, which needs no network: http and https alone, no name of one's own machine, and of
 * literal addresses the public ones, at ports of the web. A URL has read decimal, octal, hexadecimal and short forms of IPv4 before.
 * A name may still lead to a private address: what connects must look at what it resolves to.
 * @param allowed FETCH_ALLOW_HOSTS: pairs of host and port that are let through although private
 * @param anyPort for hosts that the owner of a credential has named, port and all
 * @returns whether it is one of `allowed`: then what its name resolves to is not looked at
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
