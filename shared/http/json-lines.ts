const encoder = new TextEncoder()

/**
 * Responds with one line of JSON for each value (application/x-ndjson) at the reader's pace: a page is read after the
 * reader has received the previous page, and no page is read after the reader has disconnected. An error of `pages`
 * aborts the response.
 */
export function respondWithLines(pages: AsyncGenerator<readonly object[], void>): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await pages.next()
          if (done === true) return controller.close()
          const text = value.map((one) => `${JSON.stringify(one)}\n`).join('')
          // A pull that enqueues nothing is not repeated.
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
