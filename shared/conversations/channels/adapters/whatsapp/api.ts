import * as z from 'zod'
import { isSuccess } from '#shared/platform/http-client/status.ts'
import { once } from '#shared/platform/once.ts'
import type { AdapterContext, OpenChannel } from '../adapter.ts'
import { graphVersion, whatsappPairSeconds } from '../limits.ts'
import {
  callService,
  type Refusal,
  retryAfter,
  type ServiceAnswer,
  type ServiceCall,
} from '../service-call.ts'

/** Calls a path of the Graph API. @throws HttpFailure without a whole response */
export function callWhatsApp(
  ctx: AdapterContext,
  { secrets }: Pick<OpenChannel, 'secrets'>,
  path: string,
  sent?: Pick<ServiceCall, 'type' | 'body'>,
): Promise<ServiceAnswer> {
  return callService(ctx, {
    url: `${ctx.config.WHATSAPP_API_URL}/${graphVersion}/${path}`,
    token: secrets['accessToken'],
    ...sent,
  })
}

/** Posts a message of the channel's number. @throws HttpFailure without a whole response */
export function postMessage(
  ctx: AdapterContext,
  channel: OpenChannel,
  message: Record<string, unknown>,
): Promise<ServiceAnswer> {
  const json = JSON.stringify({ messaging_product: 'whatsapp', ...message })
  const sent = { type: 'application/json', body: Buffer.from(json) }
  return callWhatsApp(ctx, channel, `${channel.settings['phoneNumberId']}/messages`, sent)
}

const refused = once(() =>
  z.object({
    error: z.object({
      code: z.number(),
      message: z.string().optional(),
      error_data: z.object({ details: z.string().optional() }).optional(),
    }),
  }),
)

/** Returns the error in a response; undefined if the response is not in the form of the Graph API. */
export function graphErrorOf({ json }: ServiceAnswer): { code: number; text: string } | undefined {
  const error = refused().safeParse(json).data?.error
  if (error === undefined) return undefined
  return { code: error.code, text: error.error_data?.details ?? error.message ?? '' }
}

/** Limits of calls and of messages: Meta's "Cloud API error codes", throttling errors. */
const limited = new Set([4, 80_007, 130_429, 131_056])

/**
 * Errors of Meta itself, after which a call can succeed later: unknown, service unavailable, temporarily unavailable,
 * in maintenance.
 */
const transient = new Set([1, 2, 131_000, 131_016, 131_057])

/** Explanations of frequent errors, with the remedy. */
const meanings: Record<number, string> = {
  190: 'the access token has expired or was revoked: set a new one',
  131_026: 'the message cannot be delivered to this number',
  131_030: 'the number is not in the list of test recipients: add it at Meta',
  131_031: 'the WhatsApp account is locked',
  131_042: 'WhatsApp needs a payment method for this account',
  131_047:
    'more than 24 hours have passed since the person last wrote; WhatsApp then takes no answer',
  131_053: 'WhatsApp does not take this file',
}

/** Returns the reason of an error as the owner reads it. */
export function reasonOf(code: number, text: string): string {
  return `WhatsApp: error ${code}, ${meanings[code] ?? text}`
}

/** Returns why a call failed, and whether it can be repeated; undefined if it succeeded. */
export function refusalOf(answer: ServiceAnswer): Refusal | undefined {
  if (isSuccess(answer.status)) return undefined
  const error = graphErrorOf(answer)
  const reason = error ? reasonOf(error.code, error.text) : `WhatsApp: status ${answer.status}`
  if (answer.status === 429 || (error !== undefined && limited.has(error.code))) {
    const pair = error?.code === 131_056 ? whatsappPairSeconds : undefined
    const afterSeconds = retryAfter(answer) ?? pair
    return { state: 'retry', reason, ...(afterSeconds !== undefined && { afterSeconds }) }
  }
  const isPassing = error === undefined ? answer.status >= 500 : transient.has(error.code)
  return { state: isPassing ? 'retry' : 'failed', reason }
}
