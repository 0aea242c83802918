import { type HttpAnswer, sendRequest } from './http-client/client.ts'
import { guardedTarget, type GuardOptions } from './http-client/guarded.ts'

const timeouts = { totalMs: 5000 }

/**
 * The maximum size of a response that is read. The content is ignored, but the connection can be reused only if the
 * response is read to its end.
 */
const longestAnswer = 4096

export interface UserPost {
  url: string
  headers: Readonly<Record<string, string>>
  /** JSON. */
  text: string
}

/**
 * Posts JSON to a user's address. Redirects are returned, not followed.
 * @throws HttpFailure if no response arrives within five seconds, AddressRefused for an address that is not allowed
 */
export async function postJson(
  { url, headers, text }: UserPost,
  guard: GuardOptions,
): Promise<Pick<HttpAnswer, 'status' | 'headers'>> {
  const answer = await sendRequest({
    target: guardedTarget(url, guard),
    headers: { ...headers, 'content-type': 'application/json' },
    body: Buffer.from(text),
    timeouts,
    pooled: true,
  })
  if (Number(answer.headers['content-length']) <= longestAnswer)
    // The status is already known, so an error of the body is ignored.
    await answer.whole().catch(() => undefined)
  else answer.close()
  return answer
}
