import { UpstreamFailure } from '../providers/failure.ts'
import { call } from '../providers/http.ts'
import type { Provider } from '../providers/provider.ts'

const totalMs = 3000

/** No more than the headers of an answer are waited for. */
const maxBytes = 0

/** Statuses of an endpoint that lists no models; it answers all the same. */
const withoutList: ReadonlySet<number> = new Set([404, 405, 501])

/**
 * Whether a provider answers calls with the key that it was given: it is asked for its models, the one request of
 * OpenAI's interface that costs nothing. A refused key, an unpaid bill, a limit and a fault all count as no answer.
 */
export async function probe(provider: Provider): Promise<boolean> {
  try {
    const answer = await call(provider, {
      path: '/models',
      timeouts: { totalMs },
      maxBytes,
    })
    // The list itself may be long, and is not needed.
    answer.close()
    return answer.status < 400 || withoutList.has(answer.status)
  } catch (error) {
    if (error instanceof UpstreamFailure) return false
    throw error
  }
}
