import { userRows } from '#shared/accounts/users/rows.ts'
import { toUser } from '#shared/accounts/users/user.ts'
import { isSuccess } from '#shared/platform/http-client/status.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { isoOf } from '#shared/platform/times.ts'
import { tryWebhook, type WebhookAnswer } from '#shared/platform/webhook-post.ts'
import { unlessLeaseLost } from '#shared/platform/work/lease-lost.ts'
import {
  deliveryRows,
  endpointRows,
  type WebhookDelivery,
  type WebhookEndpoint,
} from '#shared/signals/outbound-webhooks/rows.ts'
import type { WebhookWork } from '#shared/signals/outbound-webhooks/topic.ts'
import { typeOf } from '#shared/signals/outbound-webhooks/types.ts'
import { isVoid } from '#shared/signals/outbound-webhooks/void.ts'
import { sealerOf, secretPlace } from '../context.ts'
import { disable, recordFailure, recordSuccess, notifyDisabled } from './failing.ts'
import { deliveryWork } from './work.ts'

/** contract.md 11: the times of the attempts, in seconds from the first. */
const triesAt = [0, 5, 60, 300, 1800, 7200, 28_800, 86_400]

/** Waits longer than this, in seconds, get up to a tenth of jitter, so that the retries of many events are spread. */
const spreadFrom = 120

/** The maximum delay of an attempt that a receiver can request by Retry-After, in seconds. */
const longestPutOff = 86_400

/** The context of the verbs that deliver webhooks. */
export type WebhookDeliveryContext = Pick<Context, 'table' | 'log'> &
  Sends<'webhook-deliveries'> &
  Can<'encryptionKey' | 'guard' | 'mailer' | 'webUrl'>

/**
 * Makes the next attempt of a delivery. An attempt that is requested twice is made once. An attempt whose process died
 * is counted, and the tick requests the next.
 * @param now epoch milliseconds
 */
export async function attemptWebhookDelivery(
  ctx: WebhookDeliveryContext,
  message: WebhookWork,
  now = Date.now(),
): Promise<void> {
  const { userId, endpointId, delivery: due } = message
  if (due === undefined) return notifyDisabled(ctx, { userId, endpointId })
  const [row, endpointRow, owner] = await ctx.table.getMany([
    deliveryRows.key({ userId, endpointId, deliveryId: due.id }),
    endpointRows.key({ userId, endpointId }),
    userRows.key({ userId }),
  ])
  const delivery = row && deliveryRows.parse(row)
  if (delivery === undefined || !deliveryWork.isRequested(delivery, message)) return
  const endpoint = endpointRow && endpointRows.parse(endpointRow)
  const user = owner && toUser(owner)
  if (
    endpoint === undefined ||
    !user ||
    endpoint.disabledAt !== undefined ||
    isVoid(endpoint, user)
  ) {
    await unlessLeaseLost(end(ctx, delivery, 'failed', delivery.responseStatus))
    return
  }
  const claimed = await deliveryWork.claim(ctx, delivery, { now })
  if (claimed !== undefined) await unlessLeaseLost(attempt(ctx, endpoint, claimed, now))
}

/**
 * @throws LeaseLost if a later attempt has begun in the meantime. That attempt then decides the result of the delivery.
 */
async function attempt(
  ctx: WebhookDeliveryContext,
  endpoint: WebhookEndpoint,
  delivery: WebhookDelivery,
  now: number,
): Promise<void> {
  const answer = await post(ctx, endpoint, delivery)
  const status = answer?.status ?? null
  if (isSuccess(status)) {
    await recordSuccess(ctx, endpoint)
    await end(ctx, delivery, 'delivered', status)
  } else if (status === gone) {
    await disable(ctx, endpoint, { now, because: 'gone' })
    await end(ctx, delivery, 'failed', gone)
  } else {
    await recordFailure(ctx, endpoint, now)
    await tryLater(ctx, delivery, { answer, now })
  }
}

/** 410 Gone (Standard Webhooks, Delivery success and failure): the receiver accepts no more events. */
const gone = 410

/** @returns undefined without a response */
async function post(
  ctx: WebhookDeliveryContext,
  endpoint: WebhookEndpoint,
  delivery: WebhookDelivery,
): Promise<WebhookAnswer | undefined> {
  const { id, messageId, text, attempts } = delivery
  const secret = await sealerOf(ctx).open(endpoint.secret, secretPlace(endpoint.id))
  if (secret === undefined)
    throw new Error('the secret of a webhook endpoint was not sealed by the key of this platform')
  return tryWebhook(
    ctx,
    { url: endpoint.url, secret, id: messageId, text },
    { deliveryId: id, endpointId: endpoint.id, messageId, type: typeOf(delivery), attempts },
  )
}

async function tryLater(
  ctx: WebhookDeliveryContext,
  delivery: WebhookDelivery,
  { answer, now }: { answer: WebhookAnswer | undefined; now: number },
): Promise<void> {
  const status = answer?.status ?? null
  const [before = 0, next] = triesAt.slice(delivery.attempts - 1)
  if (next === undefined) return end(ctx, delivery, 'failed', status)
  const planned = next - before
  const spread = planned >= spreadFrom ? Math.floor(planned * 0.1 * Math.random()) : 0
  const putOff = Math.min(Math.ceil((answer?.retryAfterMs ?? 0) / 1000), longestPutOff)
  const seconds = Math.max(planned + spread, putOff)
  const nextAttemptAt = isoOf(now + seconds * 1000)
  const set = { responseStatus: status, nextAttemptAt }
  await deliveryWork.later(ctx, delivery, seconds, { set, now })
}

async function end(
  ctx: WebhookDeliveryContext,
  delivery: WebhookDelivery,
  status: 'delivered' | 'failed',
  responseStatus: number | null,
): Promise<void> {
  await deliveryWork.finish(ctx, delivery, { set: { status, responseStatus, nextAttemptAt: null } })
}
