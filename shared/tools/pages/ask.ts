import { sendRequest } from '#shared/platform/http-client/client.ts'
import type { HttpTarget } from '#shared/platform/http-client/connections.ts'
import { maxPageBytes } from './limits.ts'
import type { PageAnswer, PageRequest } from './source.ts'
import { unpacked } from './unpack.ts'

/**
 * Requests a page from a checked target, on a new connection.
 * @throws HttpFailure
 */
export async function askAt(
  target: HttpTarget,
  { headers, signal }: PageRequest,
): Promise<PageAnswer> {
  const answer = await sendRequest({
    target,
    headers: { ...headers, 'accept-encoding': 'gzip, deflate, br' },
    timeouts: {},
    // Also limits the bytes on the wire: a compressed body can be endless without any content.
    maxBytes: maxPageBytes,
    signal,
  })
  return {
    status: answer.status,
    header: (name) => {
      const value = answer.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    body: unpacked(answer.body, answer.headers['content-encoding']),
    close: () => answer.close(),
  }
}
