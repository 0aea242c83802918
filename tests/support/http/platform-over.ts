import { Platform } from '../../../clients/typescript/index.ts'
import type { UserCall } from './caller.ts'

type Who = Pick<UserCall, 'session' | 'key'>
type Call = (
  method: string,
  path: string,
  given: Who & Pick<UserCall, 'text' | 'bytes' | 'headers'>,
) => Promise<Response>

/**
 * The client of the web surface over routes that a test calls itself: `platformOver(call, { session }).keys.list()`.
 * Its results have the types of the API's document. It does not retry.
 */
export function platformOver(call: Call, who: Who = {}): Platform {
  return new Platform({
    baseUrl: 'http://localhost:3000',
    maxRetries: 0,
    fetch: (address, { method = 'GET', headers, body } = {}) => {
      const { pathname, search } = new URL(String(address))
      const text = typeof body === 'string' ? { text: body } : {}
      const bytes = body instanceof Uint8Array ? { bytes: Uint8Array.from(body) } : {}
      const given = Object.fromEntries(new Headers(headers))
      return call(method, pathname + search, { ...who, ...text, ...bytes, headers: given })
    },
  })
}
