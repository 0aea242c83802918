import { once } from 'node:events'
import type { Writable } from 'node:stream'

export interface PumpOptions {
  /** Aborted once the client has gone: the body is cancelled, and with it its source. */
  gone: AbortSignal
  /** Called where the body ends without a byte, before the answer is ended. */
  empty?: () => void
  /** The answer is ended after so many bytes; what the body does after them goes on all the same. */
  length?: number | undefined
}

/**
 * Hands each chunk on as it comes, no faster than the client takes them, and returns once the body has ended or has been
 * cancelled: what follows from an answer is a part of its body (`respondThen`). Node's own bridge from the one kind of
 * stream to the other costs more than all else that is done here.
 * @throws what the body throws, with the answer cut off; nothing where the client has gone
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
    // A client that hangs up in the middle is no fault of ours; everything else is.
    if (!gone.aborted) throw error
    await cancelled
  } finally {
    gone.removeEventListener('abort', leave)
  }
}
