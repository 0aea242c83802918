/** Responses that were requested before their screen was loaded, by URL. */
const early = new Map<string, Promise<Response>>()

/** An early response is too old this many milliseconds after the page load. */
const newsMs = 10_000

/**
 * Requests what a page shows first while its code is still loading. Without a session the requests fail, and
 * `forgetEarly` drops them.
 */
export function askEarly(paths: readonly string[]): void {
  for (const path of paths) {
    const url = location.origin + path
    const answer = fetch(path)
    early.set(url, answer)
    // A failed response is not kept, so that a part that is shown later requests it again.
    const drop = () => early.delete(url)
    answer.then(({ status }) => status >= 500 && drop(), drop)
  }
}

/** Returns and removes an early response, if it is recent. */
export function takeEarly(url: unknown): Promise<Response> | undefined {
  const answer = performance.now() < newsMs ? early.get(String(url)) : undefined
  early.delete(String(url))
  return answer
}

/** Drops all responses, because they failed without a session. */
export function forgetEarly(): void {
  early.clear()
}
