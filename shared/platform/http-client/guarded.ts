import { lookup as resolveName, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { type HttpTarget, targetOf } from './connections.ts'
import { isPublicAddress } from './public-address.ts'
import { AddressRefused, checkUrl } from './public-url.ts'
import { mayBePlain } from './secure.ts'

/** As node:dns has it. */
export type Resolve = (
  name: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export interface GuardOptions {
  deployed: boolean
  /** How names are resolved; the system's way unless it is given. */
  resolve?: Resolve
}

/**
 * Where a request goes to an address that a user gave. Deployed, it is https and public: a name is resolved once, by the
 * connection itself, and the connection goes to what that said, so that no second answer can lead elsewhere. On one
 * machine http to loopback will do, and private addresses are its owner's.
 * @throws AddressRefused for what may not be spoken to
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
  /** FETCH_ALLOW_HOSTS, and nothing when deployed. */
  allowed: readonly string[]
  /** How names are resolved; the system's way unless it is given. */
  resolve?: Resolve | undefined
  /** Ports of the web alone unless it is true. */
  anyPort?: boolean
}

/**
 * Where a request for a page goes: to the public internet alone, on one machine too. A name is resolved once, by the
 * connection itself, and the connection goes to what that said. What stands before the host (`user:password@`) is not sent.
 * @throws AddressRefused; the request fails with it where a name has an address that is not public
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
