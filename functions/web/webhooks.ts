import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { signedHeaders } from '#shared/platform/webhook-signature.ts'
import { receiveEmail } from '#shared/tools/inbound-webhooks/receive-email.ts'
import { receiveStreamingEvent } from '#shared/tools/inbound-webhooks/receive-streaming.ts'
import { emailReceived, streamingReceived } from '#shared/tools/inbound-webhooks/schema.ts'

export type Services = Pick<Context, 'table'> & {
  /** EMAIL_WEBHOOK_SECRET. */
  emailSecret: string | undefined
  /** EMAIL_WEBHOOK_ALLOWLIST: the accepted senders; empty accepts no emails. */
  allowedSenders: readonly string[]
  /** STREAMING_WEBHOOK_SECRET. */
  streamingSecret: string | undefined
}

const route = routesWith<Services>()

/** The properties that the routes of all providers share. */
const event = {
  method: 'POST',
  tag: 'webhooks',
  guard: 'signature',
  unlimited: 'signed',
  rawBody: 'application/json',
  errors: ['bad-request', 'unauthorized', 'unavailable'],
  notAudited: 'an event of another service; no account, access or money changes',
} as const

const bytesOf = async (request: Request) => new Uint8Array(await request.arrayBuffer())

export const routes = [
  route({
    ...event,
    name: 'webhooks.receiveStreaming',
    path: '/api/webhooks/streaming',
    summary: 'Receive a webhook of the streaming provider',
    headers: {
      'webhook-signature':
        '`t=<epoch seconds>,v1=<HMAC-SHA256 of timestamp.body in hex>`, at most 5 minutes old',
    },
    response: streamingReceived,
    handle: async (context) => {
      const { request } = context
      const signature = request.headers.get('webhook-signature') ?? ''
      await receiveStreamingEvent(context, { signature, body: await bytesOf(request) })
      return { received: true as const }
    },
  }),

  route({
    ...event,
    name: 'webhooks.receiveEmail',
    path: '/api/webhooks/email',
    summary: 'Receive a webhook of the email provider',
    headers: {
      'webhook-id': 'The id of the event; the same for every attempt',
      'webhook-timestamp': 'Epoch seconds, at most 5 minutes old',
      'webhook-signature':
        '`v1,<HMAC-SHA256 of id.timestamp.body in base64>`, several separated by spaces',
      'svix-id': 'Svix name of webhook-id',
      'svix-timestamp': 'As webhook-timestamp',
      'svix-signature': 'As webhook-signature',
    },
    response: emailReceived,
    handle: async (context) => {
      const { request } = context
      const headers = signedHeaders(request.headers)
      const action = await receiveEmail(context, { headers, body: await bytesOf(request) })
      return { received: true as const, action }
    },
  }),
]

export function wire(config: ConfigOf<'web-webhooks'>): Wiring<Services> {
  const table = openTable(config)
  return {
    services: {
      table,
      emailSecret: config.EMAIL_WEBHOOK_SECRET,
      allowedSenders: config.EMAIL_WEBHOOK_ALLOWLIST,
      streamingSecret: config.STREAMING_WEBHOOK_SECRET,
    },
    table,
  }
}
