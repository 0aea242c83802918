/** Answers that were asked for before the screen that shows them was there, by their address. */
const early = new Map<string, Promise<Response>>()

/** How long after the page's begin such an answer is still shown, in milliseconds. */
const newsMs = 10_000

/** Asks for what a page shows first while its own files are still on their way. Without a session the platform refuses, and `forgetEarly` drops that. */
export function askEarly(paths: readonly string[]): void {
  for (const path of paths) {
    const url = location.origin + path
    const answer = fetch(path)
    early.set(url, answer)
    // A failure is no news to a part that is shown later, once the platform answers again.
    const drop = () => early.delete(url)
    answer.then(({ status }) => status >= 500 && drop(), drop)
  }
}

/** Takes an answer that was asked for early, once, and while it is news. */
export function takeEarly(url: unknown): Promise<Response> | undefined {
  const answer = performance.now() < newsMs ? early.get(String(url)) : undefined
  early.delete(String(url))
  return answer
}

/** Drops the answers: without a session the platform has refused them. */
export function forgetEarly(): void {
  early.clear()
}
