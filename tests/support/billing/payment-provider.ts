import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { configuredProvider } from '#shared/billing/payments/context.ts'
import type { PaymentProvider } from '#shared/billing/payments/provider.ts'

/** A request of the platform. */
interface Asked {
  call: string
  headers: IncomingMessage['headers']
  /** The form's fields, with Stripe's names: `line_items[0][quantity]`. */
  form: Record<string, string>
}

/** The provider's behaviour: undefined for normal, an HTTP status for an error, `silent` for no response. */
type Mood = number | 'silent' | undefined

/** A payment provider with the calls of Stripe's API that the platform uses. It records all requests. */
export async function startPaymentProvider() {
  const asked: Asked[] = []
  /** Sessions by idempotency key. */
  const sessions = new Map<string, string>()
  /** The subscriptions that GET returns, by id. */
  const subscriptions = new Map<string, unknown>()
  const ended = new Map<string, unknown>()
  /** The refunded payments, by the idempotency key of the refund. */
  const refunds = new Map<string, string>()
  /** The known payment intents, each with the subscription that it paid. */
  const payments = new Map<
    string,
    { subscription?: unknown; metadata?: unknown; created?: number }
  >()
  /** The deleted customers. */
  const gone = new Set<string>()
  let mood: Mood

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const call = `${request.method} ${pathname}`
    const form = Object.fromEntries(new URLSearchParams(text))
    asked.push({ call, headers: request.headers, form })
    if (mood === 'silent') return
    const known = gone.has(form.customer ?? '') ? ([400, unknownCustomer] as const) : undefined
    const [status, body] =
      mood === undefined
        ? (known ?? result(call, request, { form, query: searchParams }))
        : [mood, failed]
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }

  function result(
    call: string,
    { headers }: IncomingMessage,
    { form, query }: { form: Record<string, string>; query: URLSearchParams },
  ): [status: number, body: unknown] {
    if (call === 'POST /v1/checkout/sessions') {
      const key = String(headers['idempotency-key'])
      const id = sessions.get(key) ?? `cs_test_${sessions.size + 1}_${Math.random()}`
      sessions.set(key, id)
      return [200, { id, object: 'checkout.session', url: `${origin}/pay/${id}` }]
    }
    if (call === 'POST /v1/billing_portal/sessions')
      return [200, { id: 'bps_1', url: `${origin}/portal` }]
    if (call === 'POST /v1/refunds') {
      const key = String(headers['idempotency-key'])
      const intent = form.payment_intent ?? ''
      if (!refunds.has(key) && [...refunds.values()].includes(intent))
        return [400, { error: { ...failed.error, code: 'charge_already_refunded' } }]
      refunds.set(key, intent)
      return [200, { id: `re_${refunds.size}`, object: 'refund', payment_intent: intent }]
    }
    const [, intent = ''] = /^GET \/v1\/payment_intents\/([\w-]+)$/.exec(call) ?? []
    if (intent !== '') {
      const known = payments.get(intent)
      return known === undefined ? [404, failed] : [200, { id: intent, ...known }]
    }
    if (call === 'GET /v1/invoice_payments') {
      const paid = query.get('payment[payment_intent]')
      if (paid !== null) {
        const subscription = payments.get(paid)?.subscription
        const parent = { subscription_details: { subscription } }
        const data = subscription === undefined ? [] : [{ invoice: { id: 'in_1', parent } }]
        return [200, { object: 'list', data }]
      }
      const payment = { type: 'payment_intent', payment_intent: `pi_of_${query.get('invoice')}` }
      return [200, { object: 'list', data: [{ object: 'invoice_payment', payment }] }]
    }
    const [, id = ''] = /\/v1\/subscriptions\/([\w-]+)$/.exec(call) ?? []
    const isEnd = call.startsWith('DELETE')
    const known = subscriptions.get(id) ?? (isEnd ? undefined : ended.get(id))
    if (known === undefined) return [404, failed]
    if (isEnd) {
      subscriptions.delete(id)
      ended.set(id, known)
    }
    return [200, known]
  }

  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    asked,
    subscriptions,
    refunds,
    payments,
    gone,
    /** Returns the requests of one kind, such as `POST /v1/checkout/sessions`. */
    callsOf: (call: string) => asked.filter((one) => one.call === call),
    /** Sets its behaviour from now on. */
    behave(as: Mood) {
      mood = as
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const failed = { error: { type: 'api_error', message: 'no' } }

const unknownCustomer = {
  error: { type: 'invalid_request_error', code: 'resource_missing', param: 'customer' },
}

/** Returns the platform's client of a provider. */
export function clientOfProvider(origin: string): PaymentProvider | undefined {
  const PAYMENTS_SECRET_KEY = 'sk_test_of_the_tests'
  return configuredProvider({ deployed: false, PAYMENTS_API_URL: origin, PAYMENTS_SECRET_KEY })
}

/**
 * Returns the header with the provider's signature of a body.
 * @param at epoch seconds
 */
export function signatureOf(secret: string, body: string, at = Math.floor(Date.now() / 1000)) {
  const v1 = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
  return `t=${at},v1=${v1}`
}
