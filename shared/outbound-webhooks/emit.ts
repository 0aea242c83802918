import { newId } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Queues } from '../platform/queues/port.ts'
import {
  type Deferred,
  givenParts,
  type Part,
  type Parts,
  type Refusals,
} from '../platform/table/commit.ts'
import type { Table, Write } from '../platform/table/port.ts'
import { userPartition } from '../platform/table/user-store.ts'
import { deliveryRows, dueIndex, endpointRows, type WebhookDelivery } from './rows.ts'
import { webhookDeliveries, type WebhookWork } from './topic.ts'
import type { WebhookEventType } from './types.ts'

const keptSeconds = 30 * 86_400

/** What happened to something of a user's. */
export interface WebhookEvent {
  type: WebhookEventType
  /** Goes into JSON; no secrets. */
  data: Readonly<Record<string, unknown>>
}

/** What telling a user's endpoints takes. */
export interface TellContext {
  table: Pick<Table, 'query'>
  /** Absent where it is the tick that is to ask for the first try. */
  queues?: Queues<'webhook-deliveries'> | undefined
  log?: Log | undefined
}

/**
 * Events as a part of the transaction that makes the change, with a delivery for each endpoint of the user's that asks
 * for its type: `commit(table, { …, ...(await webhookParts(ctx, userId, [event])) })`. Neither stands without the other.
 * Once both stand, the first try of each is asked for. It reads the user's endpoints once; for a user without any that
 * is all.
 * @param userId null for what belongs to no user
 * @param now epoch milliseconds
 */
export async function webhookParts(
  ctx: TellContext,
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
    const asking = endpoints.filter(({ events: types }) => types.includes(event.type))
    if (asking.length === 0) return []
    const message = newMessage(event, now)
    return asking.map(({ id: endpointId }) => newDelivery({ userId, endpointId, ...message }, now))
  })
  return deliveries.length === 0 ? {} : { webhooks: new WebhookPart(ctx, deliveries, now) }
}

/** Deliveries, the first try of which is asked for as soon as they are stored. */
class WebhookPart implements Deferred {
  readonly #ctx: TellContext
  readonly #deliveries: readonly WebhookDelivery[]
  readonly #now: number

  constructor(ctx: TellContext, deliveries: readonly WebhookDelivery[], now: number) {
    this.#ctx = ctx
    this.#deliveries = deliveries
    this.#now = now
  }

  async commit<P extends Parts>(
    parts: P,
    write: (parts: Parts) => Promise<Refusals<Parts> | undefined>,
  ): Promise<Refusals<P> | undefined> {
    const others = givenParts(parts).filter(([, part]) => part !== this)
    const own = this.#deliveries.map(
      (each) => [`webhook ${each.id}`, deliveryWrite(each, this.#now)] as const,
    )
    const refusals = await write(Object.fromEntries<Part>([...others, ...own]))
    if (refusals !== undefined) return refusals as Refusals<P>
    const { queues, log } = this.#ctx
    // The change stands, and its caller is to hear so: the tick asks for what could not be asked for here.
    await queues
      ?.sendAll(webhookDeliveries, this.#deliveries.map(firstTry))
      .catch((error: unknown) =>
        log?.warn('the first try of webhooks waits for the tick', { error }),
      )
    return undefined
  }
}

/** The message that asks for the first try of a delivery. */
export function firstTry({ userId, endpointId, id }: WebhookDelivery): WebhookWork {
  return { userId, endpointId, delivery: { id, attempt: 1 } }
}

type Message = Pick<WebhookDelivery, 'messageId' | 'type' | 'text'>

/** An event as it is posted: contract.md 11. */
export function newMessage({ type, data }: WebhookEvent, now: number): Message {
  const messageId = newId('evt')
  const createdAt = new Date(now).toISOString()
  return { messageId, type, text: JSON.stringify({ id: messageId, type, createdAt, data }) }
}

/** A message on its way to one endpoint, due at once. @param now epoch milliseconds */
export function newDelivery(
  given: Message & Pick<WebhookDelivery, 'userId' | 'endpointId'>,
  now: number,
): WebhookDelivery {
  const at = new Date(now).toISOString()
  return {
    ...given,
    id: newId(deliveryRows.id),
    createdAt: at,
    status: 'pending',
    attempts: 0,
    responseStatus: null,
    nextAttemptAt: at,
  }
}

/** The tick looks after it at once: its first try may not have been asked for. */
export function deliveryWrite(delivery: WebhookDelivery, now: number): Write {
  const { userId, endpointId, id: deliveryId } = delivery
  return {
    put: deliveryRows.put({ userId, endpointId, deliveryId }, delivery, {
      expiresAt: Math.floor(now / 1000) + keptSeconds,
      ...dueIndex(deliveryId, now),
    }),
    if: 'attribute_not_exists(pk)',
  }
}
