import { type HttpAnswer, sendRequest } from './http-client/client.ts'
import { guardedTarget, type GuardOptions } from './http-client/guarded.ts'

const timeouts = { totalMs: 5000 }

/** An answer that is longer is not read; what it says does not matter, but read whole it leaves the connection usable. */
const longestAnswer = 4096

export interface UserPost {
  url: string
  headers: Readonly<Record<string, string>>
  /** JSON. */
  text: string
}

/**
 * Posts JSON to an address that a user gave. A redirect is an answer like any other.
 * @throws HttpFailure where there is no answer within five seconds, AddressRefused for an address that may not be spoken to
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
    // The status has told; a body that breaks off changes nothing.
    await answer.whole().catch(() => undefined)
  else answer.close()
  return answer
}
