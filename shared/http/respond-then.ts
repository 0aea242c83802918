const encoder = new TextEncoder()

interface More {
  headers?: Record<string, string>
  /** What follows where the reader leaves before the last byte, in place of `then`; never throws. */
  left?: () => Promise<void>
}

/**
 * A JSON answer whose last byte is taken before what follows from it begins, and which ends only after that: a function
 * that has ended its answer may be frozen at any moment. A reader that leaves early changes nothing about what follows.
 * @param then never throws
 */
export function respondThen(
  value: unknown,
  then: () => Promise<void>,
  { headers = {}, left = then }: More = {},
): Response {
  const bytes = encoder.encode(JSON.stringify(value))
  let following: Promise<void> | undefined
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(bytes)
      },
      async pull(controller) {
        await (following ??= then())
        controller.close()
      },
      cancel: () => (following ??= left()),
    },
    // What follows begins when the reader asks for more than the bytes.
    { highWaterMark: 0 },
  )
  return new Response(body, {
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': String(bytes.length),
    },
  })
}
