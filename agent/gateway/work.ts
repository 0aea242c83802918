import { setTimeout as delay } from 'node:timers/promises'
import { Problem } from './http/problem.ts'

/** Why a request is refused, or its response cut, while its caller still waits. */
export const stopping = new Problem(503, 'stopping', 'The agent is stopping', {
  headers: { 'retry-after': '1', connection: 'close' },
})

const stepMs = 50

/** Waits in steps: a process that was suspended still gets its time afterwards, except for one step. */
async function lapse(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    await delay(Math.min(left, stepMs), undefined, { ref: false })
  }
}

/** Counts active responses, so that a stop lets them finish and accepts no new ones. */
export class Work {
  #draining = false
  readonly #running = new Set<AbortController>()
  #idle = Promise.withResolvers<void>()

  get draining(): boolean {
    return this.#draining
  }

  /** Registers a response. `done` ends it; `controller` is aborted when it must be cut. */
  begin(): { controller: AbortController; done: () => void } {
    const controller = new AbortController()
    this.#running.add(controller)
    return {
      controller,
      done: () => {
        this.#running.delete(controller)
        if (this.#draining && this.#running.size === 0) this.#idle.resolve()
      },
    }
  }

  /** Refuses new work and waits until all responses have ended. Cuts them after `graceMs`. */
  async drain(graceMs: number): Promise<void> {
    this.#draining = true
    if (this.#running.size === 0) return
    const finished = await Promise.race([
      this.#idle.promise.then(() => true),
      lapse(graceMs).then(() => false),
    ])
    if (finished) return
    for (const controller of this.#running) controller.abort(stopping)
    // Cut responses still store their text in the sessions, but a hanging disk must not block a stop.
    await Promise.race([this.#idle.promise, lapse(1_000)])
  }
}
