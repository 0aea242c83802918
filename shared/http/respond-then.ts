const encoder = new TextEncoder()

/**
 * A JSON answer whose last byte is taken before what follows from it begins, and which ends only after that: a function
 * that has ended its answer may be frozen at any moment. A reader that leaves early changes nothing about what follows.
 * @param then never throws
 */
export function respondThen(value: unknown, then: () => Promise<void>): Response {
  const bytes = encoder.encode(JSON.stringify(value))
  let following: Promise<void> | undefined
  const follow = () => (following ??= then())
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(bytes)
      },
      async pull(controller) {
        await follow()
        controller.close()
      },
      cancel: follow,
    },
    // What follows begins when the reader asks for more than the bytes.
    { highWaterMark: 0 },
  )
  return new Response(body, {
    headers: { 'content-type': 'application/json', 'content-length': String(bytes.length) },
  })
}
