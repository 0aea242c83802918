import { UpstreamFailure } from '../providers/failure.ts'
import { call } from '../providers/http.ts'
import type { Provider } from '../providers/provider.ts'

const totalMs = 3000

/** Only the headers of the response are read. */
const maxBytes = 0

/** The statuses of an available endpoint without a list of models. */
const withoutList: ReadonlySet<number> = new Set([404, 405, 501])

/**
 * Returns whether a provider answers and accepts the configured key. Requests its list of models, which is the only
 * free request of OpenAI's API. A rejected key, an unpaid bill, a limit and an error all count as no answer.
 */
export async function probe(provider: Provider): Promise<boolean> {
  try {
    const answer = await call(provider, {
      path: '/models',
      timeouts: { totalMs },
      maxBytes,
    })
    // The body is not read, because the list can be long and is not needed.
    answer.close()
    return answer.status < 400 || withoutList.has(answer.status)
  } catch (error) {
    if (error instanceof UpstreamFailure) return false
    throw error
  }
}
