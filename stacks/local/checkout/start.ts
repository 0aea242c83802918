import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { closeServer, listen } from '../server/listen.ts'
import { checkoutApp } from './app.ts'
import { type Courier, startCourier } from './delivery/courier.ts'
import { Events } from './delivery/events.ts'
import type { Engine } from './engine.ts'
import { openStore } from './store/open.ts'
import { openRecords } from './store/records.ts'

export interface CheckoutOptions {
  /** The folder of its state. */
  dir: string
  /** Default: a free port. */
  port?: number
  /** The API key that clients must send. */
  secretKey: string
  /** The signing secret of its webhooks. */
  webhookSecret: string
  /** Returns epoch milliseconds; default the system clock. */
  clock?: () => number
}

export interface Checkout {
  /** The base URL of its pages and API. */
  url: string
  port: number
  /** Starts the delivery of webhooks, first those that an earlier run could not deliver. */
  deliverTo(url: string): void
  close(): Promise<void>
}

/**
 * Starts the stand-in payment provider on loopback: the part of Stripe's API that the platform uses, a checkout page that
 * takes no real money, and signed webhooks.
 * @throws PortInUseError; Error if another process holds `dir`
 */
export async function startCheckout(options: CheckoutOptions): Promise<Checkout> {
  const { dir, port = 0, secretKey, webhookSecret, clock = Date.now } = options
  const store = openStore(dir)
  const events = new Events(store, clock)
  let origin = ''
  const engine: Engine = {
    ...openRecords(store),
    store,
    events,
    get origin() {
      return origin
    },
    clock,
  }
  const server = createServer(getRequestListener(checkoutApp(engine, secretKey).fetch))
  const bound = await listen(server, port).catch((error: unknown) => {
    store.close()
    throw error
  })
  origin = `http://localhost:${bound}`
  let courier: Courier | undefined
  return {
    url: origin,
    port: bound,
    deliverTo(url) {
      courier ??= startCourier({ events, url, secret: webhookSecret, clock })
    },
    async close() {
      await closeServer(server, 1000)
      await courier?.close()
      store.close()
    },
  }
}
