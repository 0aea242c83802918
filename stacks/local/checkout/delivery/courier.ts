import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Delivery, Events } from './events.ts'

export interface CourierOptions {
  events: Events
  url: string
  /** The webhooks' signing secret. */
  secret: string
  /** Returns epoch milliseconds. */
  clock: () => number
}

export interface Courier {
  /** Aborts an active delivery. It is repeated after the next start. */
  close(): Promise<void>
}

const answerWithinMs = 10_000

/** Delivers events one by one, and retries each until the receiver responds with 2xx. A failing event does not block others. */
export function startCourier({ events, url, secret, clock }: CourierOptions): Courier {
  const ending = new AbortController()
  const { signal } = ending
  let waking = Promise.withResolvers<void>()
  const wake = () => waking.resolve()

  async function post({ body }: Delivery): Promise<number | null> {
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Stand-in checkout',
      'stripe-signature': signature(secret, body, Math.floor(clock() / 1000)),
    }
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body,
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]),
      })
      await response.body?.cancel()
      return response.status
    } catch {
      // The receiver refused, reset or timed out: the event is kept and retried.
      return null
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      waking = Promise.withResolvers()
      const next = events.next()
      const early = next === undefined ? undefined : next.due_at - clock()
      if (next === undefined || early === undefined || early > 0) {
        await rest(early)
        continue
      }
      const status = await post(next)
      // A response during closing is not recorded, so the event is delivered again.
      if (!signal.aborted) events.tried(next, status)
    }
  }

  /** @param ms undefined: until a new event */
  async function rest(ms: number | undefined): Promise<void> {
    if (ms === undefined) return waking.promise
    const woken = new AbortController()
    const pause = sleep(ms, undefined, { signal: woken.signal, ref: false }).catch(() => {})
    await Promise.race([waking.promise, pause])
    woken.abort()
  }

  events.hurry()
  events.onWaiting(wake)
  const running = run()
  return {
    async close() {
      events.onWaiting(() => {})
      ending.abort()
      wake()
      await running
    },
  }
}

/**
 * Returns the Stripe-Signature header of a webhook.
 * @param secret `whsec_…`: the whole text is the key, including the prefix
 * @param seconds epoch seconds of this attempt; receivers reject signatures older than five minutes
 */
function signature(secret: string, body: string, seconds: number): string {
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${mac}`
}
