const encoder = new TextEncoder()

/**
 * A JSON answer whose last byte is out before what follows from it is done, and whose body ends only after that: a
 * function that has ended its answer may be frozen at any moment.
 * @param then never throws
 */
export function answerThen(value: unknown, then: () => Promise<void>): Response {
  const bytes = encoder.encode(JSON.stringify(value))
  let done: Promise<void> | undefined
  let cancelled = false
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(bytes)
      await (done = then())
      if (!cancelled) controller.close()
    },
    // A client that leaves before the end changes nothing about what is to be done.
    cancel() {
      cancelled = true
      return done
    },
  })
  return new Response(body, {
    headers: { 'content-type': 'application/json', 'content-length': String(bytes.length) },
  })
}
