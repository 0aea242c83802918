import type { Optional, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import {
  type Deferred,
  definedParts,
  type Part,
  type Parts,
  type Refusals,
} from '#shared/platform/table/commit.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { epochSeconds, isoOf } from '#shared/platform/times.ts'
import { deliveryRows, endpointRows, type WebhookDelivery, webhooksDue } from './rows.ts'
import { webhookDeliveries, type WebhookWork } from './topic.ts'
import { eventsOf, typeAttributes, type WebhookEventType } from './types.ts'

const retentionSeconds = 30 * 86_400

/** An event for a user's webhook endpoints. */
export interface WebhookEvent {
  type: WebhookEventType
  /** Sent as JSON; must not contain secrets. */
  data: Readonly<Record<string, unknown>>
}

/** The context of the events that a change causes. Without queues, the tick sends the message for the first attempt. */
export type WebhookEventContext = Pick<Context, 'table'> &
  Optional<Pick<Context, 'log'> & Sends<'webhook-deliveries'>>

/**
 * Creates events as a part of the transaction that makes the change, with a delivery for each of the user's endpoints
 * that subscribes to the type: `commit(table, { …, ...(await webhookParts(ctx, userId, [event])) })`. Change and
 * deliveries are written together or not at all; after the commit, a message is sent for the first attempt of each
 * delivery. It reads the user's endpoints once; without endpoints it does nothing else.
 * @param userId null if the change belongs to no user
 * @param now epoch milliseconds
 */
export async function webhookParts(
  ctx: WebhookEventContext,
  userId: string | null,
  events: readonly WebhookEvent[],
  now = Date.now(),
): Promise<{ webhooks?: Part }> {
  if (userId === null || events.length === 0) return {}
  const { items } = await ctx.table.query({
    pk: userPartition(userId),
    beginsWith: endpointRows.prefix(),
  })
  const endpoints = items.map(endpointRows.parse).filter((one) => one.disabledAt === undefined)
  const deliveries = events.flatMap((event) => {
    const subscribed = endpoints.filter((one) => eventsOf(one).includes(event.type))
    if (subscribed.length === 0) return []
    const message = newMessage(event, now)
    return subscribed.map(({ id: endpointId }) =>
      newDelivery({ userId, endpointId, ...message }, now),
    )
  })
  return deliveries.length === 0 ? {} : { webhooks: new WebhookPart(ctx, deliveries, now) }
}

/** Deliveries whose first attempts are requested after the commit. */
class WebhookPart implements Deferred {
  readonly #ctx: WebhookEventContext
  readonly #deliveries: readonly WebhookDelivery[]
  readonly #now: number

  constructor(ctx: WebhookEventContext, deliveries: readonly WebhookDelivery[], now: number) {
    this.#ctx = ctx
    this.#deliveries = deliveries
    this.#now = now
  }

  async commit<P extends Parts>(
    parts: P,
    write: (parts: Parts) => Promise<Refusals<Parts> | undefined>,
  ): Promise<Refusals<P> | undefined> {
    const others = definedParts(parts).filter(([, part]) => part !== this)
    const own = this.#deliveries.map(
      (each) => [`webhook ${each.id}`, deliveryWrite(each, this.#now)] as const,
    )
    const refusals = await write(Object.fromEntries<Part>([...others, ...own]))
    if (refusals !== undefined) return refusals as Refusals<P>
    const { queues, log } = this.#ctx
    // The change is committed, so its caller must not fail: the tick sends the messages that could not be sent
    // here.
    await queues
      ?.sendAll(webhookDeliveries, this.#deliveries.map(firstTry))
      .catch((error: unknown) =>
        log?.warn('the first attempt of a webhook delivery waits for the tick', { error }),
      )
    return undefined
  }
}

/** Returns the message for the first attempt of a delivery. */
export function firstTry({ userId, endpointId, id }: WebhookDelivery): WebhookWork {
  return { userId, endpointId, delivery: { id, attempt: 1 } }
}

type Message = Pick<WebhookDelivery, 'messageId' | 'newerType' | 'text' | 'type'>

/** Creates the body of an event's request: contract.md 11. */
export function newMessage({ type, data }: WebhookEvent, now: number): Message {
  const messageId = newId('evt')
  const createdAt = isoOf(now)
  const text = JSON.stringify({ id: messageId, type, createdAt, data })
  return { messageId, ...typeAttributes(type), text }
}

/** Creates a delivery of a message to one endpoint, due immediately. @param now epoch milliseconds */
export function newDelivery(
  fields: Message & Pick<WebhookDelivery, 'userId' | 'endpointId'>,
  now: number,
): WebhookDelivery {
  const at = isoOf(now)
  return {
    ...fields,
    id: newId(deliveryRows.id),
    createdAt: at,
    status: 'pending',
    attempts: 0,
    responseStatus: null,
    nextAttemptAt: at,
  }
}

/** Returns the write of a delivery. It is due immediately, because the message for its first attempt may be lost. */
export function deliveryWrite(delivery: WebhookDelivery, now: number): Write {
  const { userId, endpointId, id: deliveryId } = delivery
  return {
    put: deliveryRows.put({ userId, endpointId, deliveryId }, delivery, {
      expiresAt: epochSeconds(now) + retentionSeconds,
      ...webhooksDue.at(deliveryId, now),
    }),
    if: 'attribute_not_exists(pk)',
  }
}
