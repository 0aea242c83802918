import { lookup as resolveName, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { type HttpTarget, targetOf } from './connections.ts'
import { isPublicAddress } from './public-address.ts'
import { AddressRefused, checkUrl } from './public-url.ts'
import { mayBePlain } from './secure.ts'

/** The signature of node:dns's lookup. */
export type Resolve = (
  name: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export interface GuardOptions {
  deployed: boolean
  /** Resolves host names. Default: the system's resolver. */
  resolve?: Resolve
}

/**
 * Returns the target for an address that a user gave. On a deployed stage it must be https and public. The connection
 * resolves the name once and uses the checked result, so that a second DNS response cannot redirect it. On one machine,
 * http to loopback and private addresses are allowed too: they belong to its owner.
 * @throws AddressRefused for an address that is not allowed
 */
export function guardedTarget(
  address: string,
  { deployed, resolve = resolveName }: GuardOptions,
): HttpTarget {
  const url = URL.parse(address)
  if (url === null || (url.protocol !== 'https:' && !mayBePlain(url, deployed)))
    throw new AddressRefused()
  const target = targetOf(url.href)
  if (!deployed) return target
  const { hostname } = target
  if (hostname && isIP(hostname) !== 0 && !isPublicAddress(hostname)) throw new AddressRefused()
  return { ...target, lookup: publicLookup(resolve) }
}

export interface PublicOptions {
  /** FETCH_ALLOW_HOSTS; empty on a deployed stage. */
  allowed: readonly string[]
  /** Resolves host names. Default: the system's resolver. */
  resolve?: Resolve | undefined
  /** True to allow every port. Default: only the ports of web servers. */
  anyPort?: boolean
}

/**
 * Returns the target for a request of a page, which must be on the public internet, also on one machine. The connection
 * resolves the name once and uses the checked result. Credentials in the URL (`user:password@`) are not sent.
 * @throws AddressRefused; the request fails with it if the name has an address that is not public
 */
export function publicTarget(
  url: URL,
  { allowed, resolve = resolveName, anyPort = false }: PublicOptions,
): HttpTarget {
  const isAllowed = checkUrl(url, allowed, anyPort)
  const { auth: _, ...target } = targetOf(url.href)
  return isAllowed ? target : { ...target, lookup: publicLookup(resolve) }
}

function publicLookup(resolve: Resolve): LookupFunction {
  return (name, { all }, callback) =>
    resolve(name, { all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error !== null) callback(error, [])
      else if (first === undefined || addresses.some(({ address }) => !isPublicAddress(address)))
        callback(new AddressRefused(), [])
      else if (all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
}
