import type { Waiting } from '#shared/ai/gateway/completions/disconnect.ts'

/**
 * The interval of keep-alives to a caller, in milliseconds. CloudFront closes a
 * connection after 60 s without a byte (stacks/edge.ts).
 */
export const keepAliveMs = 15_000

/** Decides when a caller gets a keep-alive. Bytes of the provider call it, so it needs no timer. */
export class KeepAlive {
  /** When the call began, as `performance.now()`. */
  readonly began = performance.now()
  /** Resolves when the caller needs a keep-alive before the model has answered. */
  readonly needed: Promise<Waiting>
  /** Sends a keep-alive. */
  write: (waiting: Waiting) => void
  #last = this.began

  constructor() {
    const { promise, resolve } = Promise.withResolvers<Waiting>()
    this.needed = promise
    this.write = resolve
  }

  /** The provider sent bytes, and nothing of them is sent to the caller now. */
  seen(waiting: Waiting): void {
    const now = performance.now()
    if (now - this.#last < keepAliveMs) return
    this.#last = now
    this.write(waiting)
  }

  /** The caller was sent a part of its answer. */
  sent(): void {
    this.#last = performance.now()
  }
}
