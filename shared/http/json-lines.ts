const encoder = new TextEncoder()

/**
 * Answers a line of JSON for each value (application/x-ndjson), as the reader takes them: no page is asked for before
 * the one before it was taken, and none after the reader has gone. What `pages` throws breaks the answer off.
 */
export function respondWithLines(pages: AsyncGenerator<readonly object[], void>): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await pages.next()
          if (done === true) return controller.close()
          const text = value.map((one) => `${JSON.stringify(one)}\n`).join('')
          // A stream that was given nothing is not asked for more.
          if (text !== '') return controller.enqueue(encoder.encode(text))
        }
      },
      async cancel() {
        await pages.return()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { 'content-type': 'application/x-ndjson; charset=utf-8' } })
}
