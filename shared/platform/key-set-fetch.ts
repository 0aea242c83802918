/**
 * The minimum time between two refreshes of a key set for unknown keys, so that forged tokens do not cause requests to
 * the issuer.
 */
const restMs = 30_000

type Ask = (url: string, init?: RequestInit) => Promise<Response>

/**
 * Fetches an issuer's key set. An unknown key causes a refresh even right after the first fetch, because the issuer may
 * have begun to use that key in the meantime. For the next 30 s, other refreshes get the same response.
 * @returns a fetch; its `isRefresh` is true if the set is cached but lacks a key
 */
export function keySetFetch(
  ask: Ask,
): (url: string, init: RequestInit, isRefresh: boolean) => Promise<Response> {
  let closedUntil = 0
  let isPending = false
  let answer: Promise<{ status: number; body: string }> | undefined

  async function fetchNow(url: string, init: RequestInit) {
    isPending = true
    try {
      const response = await ask(url, init)
      return { status: response.status, body: await response.text() }
    } finally {
      isPending = false
    }
  }

  return async (url, init, isRefresh) => {
    const isClosed = isPending || (isRefresh && Date.now() < closedUntil)
    if (answer === undefined || !isClosed) {
      if (isRefresh) closedUntil = Date.now() + restMs
      answer = fetchNow(url, init)
    }
    const { status, body } = await answer
    return new Response(body, { status, headers: { 'content-type': 'application/json' } })
  }
}
