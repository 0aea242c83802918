import { once } from 'node:events'
import type { Writable } from 'node:stream'

export interface PumpOptions {
  /** Aborted once the client has disconnected: the body is cancelled, and with it its source. */
  gone: AbortSignal
  /** Called before the response ends, if the body is empty. */
  empty?: () => void
  /** The response ends after this many bytes; the body continues to its end. */
  length?: number | undefined
}

/**
 * Forwards each chunk as it arrives, at the client's pace. Returns once the body has ended or was cancelled; by then
 * the follow-up of the response is done too, because it is a part of the body (`respondThen`). Node's own conversion
 * from a web stream to a Node stream would more than double the CPU time.
 * @throws any error of the body, after aborting the response; no error if the client has disconnected
 */
export async function pump(
  body: ReadableStream<Uint8Array>,
  out: Writable,
  { gone, empty, length }: PumpOptions,
): Promise<void> {
  const reader = body.getReader()
  let cancelled: Promise<void> | undefined
  const leave = () => {
    cancelled = reader.cancel()
  }
  gone.addEventListener('abort', leave)
  if (gone.aborted) leave()
  let written = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done && written === 0) empty?.()
      if (done || out.destroyed) break
      written += value.length
      if (written === length) out.end(value)
      else if (!out.write(value)) await once(out, 'drain', { signal: gone })
    }
    await cancelled
    if (!out.writableEnded) out.end()
  } catch (error) {
    out.destroy()
    // A disconnect of the client is not an error of the platform.
    if (!gone.aborted) throw error
    await cancelled
  } finally {
    gone.removeEventListener('abort', leave)
  }
}
