import { PlatformError } from '#shared/platform/errors.ts'
import type { HttpTarget } from '#shared/platform/http-client/connections.ts'
import { HttpFailure } from '#shared/platform/http-client/failure.ts'
import { type BoundedFetch, boundedFetch } from '#shared/platform/http-client/fetch.ts'
import { publicTarget } from '#shared/platform/http-client/guarded.ts'
import { AddressRefused, checkUrl } from '#shared/platform/http-client/public-url.ts'
import type { ConnectionSettings } from './context.ts'

type Reach = Pick<ConnectionSettings, 'allowed' | 'resolve'>

/** The documents and responses of authorization servers are small. */
const maxBytes = 262_144

/** The longest exchange in milliseconds, shorter than the lease of a refresh. */
const totalMs = 8000

/**
 * Returns a fetch for a server that a user named, and for the addresses that it names: public ones, by HTTPS.
 * @param deadline aborted when all exchanges together have taken too long
 * @returns a fetch that throws HttpFailure
 */
export function connectionFetch(reach: Reach, deadline?: AbortSignal): BoundedFetch {
  const bounds = { totalMs, maxBytes, signal: deadline }
  const fetch = boundedFetch({ ...bounds, target: (url) => targetOf(url, reach) })
  return async (url, init) => {
    // Checked first, because the request of another text than a URL throws another error.
    targetOf(url, reach)
    try {
      return await fetch(url, init)
    } catch (error) {
      if (error instanceof HttpFailure || deadline?.aborted !== true) throw error
      throw new HttpFailure('total', 'timeout: the server took too long', { cause: error })
    }
  }
}

/** Returns the target of a request to an address that a user or a server named. @throws AddressRefused */
export function targetOf(address: string, { allowed, resolve }: Reach): HttpTarget {
  const url = URL.parse(address)
  // `fetch` takes no credentials in an address.
  if (url === null || url.username !== '' || url.password !== '') throw new AddressRefused()
  const isAllowed = checkUrl(url, allowed, true)
  if (!isAllowed && url.protocol !== 'https:') throw new AddressRefused()
  return publicTarget(url, { allowed, resolve, anyPort: true })
}

/**
 * Checks the address of a server without the network. Each request checks the addresses that its name resolves to.
 * @throws PlatformError 400
 */
export function requireServerUrl(address: string, reach: Reach): void {
  try {
    targetOf(address, reach)
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error
    throw addressRefused()
  }
}

/** Returns the error for the address of a server that is not allowed. */
export function addressRefused(): PlatformError {
  return new PlatformError('bad-request', 'url must be a public https address')
}
