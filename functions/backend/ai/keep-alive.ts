import type { Waiting } from '#shared/ai/gateway/completions/disconnect.ts'

/**
 * The interval of keep-alives to a caller, in milliseconds. CloudFront closes a
 * connection after 60 s without a byte (stacks/edge.ts).
 */
export const keepAliveMs = 15_000

/** Decides when a caller gets a keep-alive. It is called when the provider sends bytes, so it needs no timer. */
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

  /** Called when the provider has sent bytes that are not forwarded to the caller yet. */
  seen(waiting: Waiting): void {
    const now = performance.now()
    if (now - this.#last < keepAliveMs) return
    this.#last = now
    this.write(waiting)
  }

  /** Called when a part of the answer was sent to the caller. */
  sent(): void {
    this.#last = performance.now()
  }
}
