import { Webhook } from 'standardwebhooks'
import * as group from '#functions/web/webhooks.ts'
import type { SignedHeaders } from '#shared/platform/webhook-signature.ts'
import { signatureOf } from '../billing/payment-provider.ts'
import { callerOf } from '../http/caller.ts'
import { startTestTable } from '../platform/table.ts'

const emailSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
export const streamingSecret = 'whsec_of the streaming provider'
export const allowed = 'ada@example.com'

/** Returns an email event as its provider sends it. */
export function emailFrom(from: unknown, more: object = {}): string {
  return JSON.stringify({ type: 'email.received', data: { from, subject: 'Hello', ...more } })
}

/**
 * Returns the headers of an email event, signed by the library of Standard Webhooks.
 * @param at epoch milliseconds
 */
export function signEmail(
  body: string,
  id: string,
  at = Date.now(),
  secret = emailSecret,
): SignedHeaders {
  const signatures = new Webhook(secret).sign(id, new Date(at), body)
  return { id, timestamp: String(Math.floor(at / 1000)), signatures }
}

/** Starts the receivers of events over a database of their own. */
export async function startInboundWebhooks(
  given: Partial<Pick<group.Services, 'emailSecret' | 'streamingSecret'>> = {
    emailSecret,
    streamingSecret,
  },
) {
  const { table, close } = await startTestTable()
  const services = {
    table,
    emailSecret: undefined,
    streamingSecret: undefined,
    ...given,
    allowedSenders: [allowed, 'bob@example.com'],
  }
  const call = callerOf(group, services)
  async function post(path: string, text: string, headers: Record<string, string>) {
    const answer = await call('POST', path, { text, headers })
    return [answer.status, await answer.json()] as const
  }
  const email = (
    text: string,
    { id, timestamp, signatures }: SignedHeaders,
    by: 'svix' | 'webhook' = 'webhook',
  ) =>
    post('/api/webhooks/email', text, {
      [`${by}-id`]: id,
      [`${by}-timestamp`]: timestamp,
      [`${by}-signature`]: signatures,
    })
  const streaming = (text: string, signature = signatureOf(streamingSecret, text)) =>
    post('/api/webhooks/streaming', text, { 'webhook-signature': signature })
  return {
    table,
    services,
    post,
    email,
    streaming,
    /** Signs an email event and delivers it. */
    send: (id: string, text = emailFrom(allowed)) => email(text, signEmail(text, id)),
    close,
  }
}

export type InboundWebhooks = Awaited<ReturnType<typeof startInboundWebhooks>>
