import { newId } from '../platform/ids.ts'
import type { Table, Write } from '../platform/table/port.ts'
import { userPartition } from '../platform/table/user-store.ts'
import { deliveryRows, dueIndex, endpointRows, type WebhookDelivery } from './rows.ts'
import type { WebhookEventType } from './types.ts'

const keptSeconds = 30 * 86_400

/** What happened to something of a user's. */
export interface WebhookEvent {
  type: WebhookEventType
  /** Goes into JSON; no secrets. */
  data: Readonly<Record<string, unknown>>
}

/**
 * Events as parts of the transaction that makes the change, a delivery for each endpoint of the user's that asks for its
 * type: `commit(table, { …, ...(await webhookParts(table, userId, [event])) })`. Neither stands without the other, and
 * the tick finds what is to be sent. It reads the user's endpoints once; for a user without any that is all.
 * @param userId null for what belongs to no user
 * @param now epoch milliseconds
 */
export async function webhookParts(
  table: Pick<Table, 'query'>,
  userId: string | null,
  events: readonly WebhookEvent[],
  now = Date.now(),
): Promise<Record<`webhook ${string}`, Write>> {
  if (userId === null || events.length === 0) return {}
  const { items } = await table.query({
    pk: userPartition(userId),
    beginsWith: endpointRows.prefix(),
  })
  const parts: Record<string, Write> = {}
  const endpoints = items.map(endpointRows.parse).filter((one) => one.disabledAt === undefined)
  for (const event of events) {
    const asking = endpoints.filter(({ events: types }) => types.includes(event.type))
    if (asking.length === 0) continue
    const message = newMessage(event, now)
    for (const { id: endpointId } of asking) {
      const delivery = newDelivery({ userId, endpointId, ...message }, now)
      parts[`webhook ${delivery.id}`] = deliveryWrite(delivery, now)
    }
  }
  return parts
}

type Message = Pick<WebhookDelivery, 'messageId' | 'type' | 'text'>

/** An event as it is posted: contract.md 11. */
export function newMessage({ type, data }: WebhookEvent, now: number): Message {
  const messageId = newId('evt')
  const createdAt = new Date(now).toISOString()
  return { messageId, type, text: JSON.stringify({ id: messageId, type, createdAt, data }) }
}

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

/** The tick looks after it at once. */
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
