import type { Actor } from '../identity/actor.ts'
import { PlatformError } from '../platform/errors.ts'

/** The interval for checking the caller's credential again. */
const renewEveryMs = 20_000

/**
 * Events for as long as its caller may have it: a session, key or grant that ends meanwhile ends it too, before the
 * first chunk that comes more than twenty seconds after the last look.
 * @param whoCalls asks the guard again
 */
export function whileAllowed(answer: Response, whoCalls: () => Promise<Actor>): Response {
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isStream || answer.body === null) return answer
  const source = answer.body.getReader()
  let lookedAt = Date.now()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await source.read()
        if (next.done) return controller.close()
        if (Date.now() - lookedAt >= renewEveryMs) {
          if (!(await letsIn(whoCalls))) {
            await source.cancel()
            return controller.close()
          }
          lookedAt = Date.now()
        }
        controller.enqueue(next.value)
      },
      cancel: (reason) => source.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  const { status, headers } = answer
  return new Response(body, { status, headers })
}

async function letsIn(whoCalls: () => Promise<Actor>): Promise<boolean> {
  try {
    return (await whoCalls()).type === 'user'
  } catch (error) {
    const refused = error instanceof PlatformError && /^(unauthorized|forbidden)$/.test(error.kind)
    if (refused) return false
    throw error
  }
}
