import { createServer } from 'node:http'
import { Stripe } from 'stripe'
import { closeServer, listen } from '#stacks/local/server/listen.ts'
import { temporaryDir } from '#stacks/local/testing/harness.ts'
import { startCheckout } from '../start.ts'
import { secretKey, webhookSecret } from './keys.ts'

/** Returns Stripe's own client for the stand-in. */
export function stripeAt(url: string, key = secretKey): Stripe {
  const { hostname, port } = new URL(url)
  return new Stripe(key, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0 })
}

/** Starts a receiver of webhooks that verifies them with Stripe's own client. */
export async function startReceiver() {
  const stripe = new Stripe(secretKey)
  const events: Stripe.Event[] = []
  let status = 200
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
      const body = Buffer.concat(chunks)
      const header = String(request.headers['stripe-signature'])
      events.push(stripe.webhooks.constructEvent(body, header, webhookSecret))
      response.writeHead(status).end()
    })().catch(() => response.writeHead(400).end())
  })
  const port = await listen(server, 0)
  return {
    url: `http://127.0.0.1:${port}/api/webhooks/payments`,
    /** All received events in order, including repeated ones. */
    events,
    types: () => events.map(({ type }) => type),
    /** Sets the status of the responses from now on. */
    answer(next: number) {
      status = next
    },
    [Symbol.asyncDispose]: () => closeServer(server, 0),
  }
}

/** Starts a stand-in with a receiver of its webhooks. */
export async function openCheckout({ clock = Date.now }: { clock?: () => number } = {}) {
  await using started = new AsyncDisposableStack()
  const dir = started.use(await temporaryDir())
  const receiver = started.use(await startReceiver())
  const options = { dir: dir.path, secretKey, webhookSecret, clock }
  const checkout = started.adopt(await startCheckout(options), (one) => one.close())
  checkout.deliverTo(receiver.url)
  const resources = started.move()

  /** Sends a request to the controls. */
  async function control(method: string, path: string, body?: object) {
    const response = await fetch(`${checkout.url}/_control${path}`, {
      method,
      headers: { authorization: `Bearer ${secretKey}` },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
    return response.json()
  }

  return {
    url: checkout.url,
    stripe: stripeAt(checkout.url),
    receiver,
    control,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

export type OpenCheckout = Awaited<ReturnType<typeof openCheckout>>

/** A monthly subscription of the platform. */
export const solo = {
  mode: 'subscription',
  line_items: [
    {
      quantity: 1,
      price_data: {
        currency: 'gbp',
        unit_amount: 7900,
        product_data: { name: 'Solo' },
        recurring: { interval: 'month' },
      },
    },
  ],
  client_reference_id: 'usr_1',
  metadata: { order: 'ord_1' },
  subscription_data: { metadata: { order: 'ord_1' } },
  success_url: 'http://localhost:3000/dashboard?checkout=success',
  cancel_url: 'http://localhost:3000/dashboard?checkout=cancelled',
} satisfies Stripe.Checkout.SessionCreateParams

/** A single purchase. */
export const credits = {
  mode: 'payment',
  line_items: [
    {
      quantity: 1,
      price_data: { currency: 'gbp', unit_amount: 500, product_data: { name: '50 credits' } },
    },
  ],
  client_reference_id: 'usr_1',
  metadata: { order: 'ord_2' },
  success_url: solo.success_url,
  cancel_url: solo.cancel_url,
} satisfies Stripe.Checkout.SessionCreateParams

/** Presses a button on a session's page, as a browser does. */
export function press(
  url: string | null,
  button: 'pay' | 'decline',
  headers: Record<string, string> = {},
) {
  return fetch(`${url}/${button}`, { method: 'POST', redirect: 'manual', headers })
}
