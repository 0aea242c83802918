import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { type Event, requireEvent } from './event.ts'
import { eventRows, ticketRows } from './rows.ts'
import type { TicketOrder } from './schema.ts'

/** The result of a sale. */
export interface TicketSale {
  ticketIds: string[]
  /** The number of remaining tickets after this sale. */
  remaining: number
}

/**
 * Sells tickets of an event. One transaction counts and sells them, so that concurrent sales never exceed the total. A
 * retry with the same seed is the same sale.
 * @throws PlatformError 404 for an unknown event, 409 SOLD_OUT with `remaining`
 */
export async function sellTickets(
  ctx: Pick<Context, 'table' | 'seed'>,
  { eventId, quantity, buyer }: TicketOrder & { eventId: string },
): Promise<TicketSale> {
  const { table } = ctx
  const { id, totalTickets } = await requireEvent(ctx, eventId)
  const purchaseId = newId(ticketRows.id, ctx.seed)
  const soldAt = new Date().toISOString()
  const refused = await tryCommit(table, {
    tickets: {
      put: ticketRows.put(
        { eventId: String(id), purchaseId },
        { purchaseId, quantity, buyer, soldAt },
      ),
      ...absent(),
    },
    event: {
      update: eventRows.key({ eventId: String(id) }),
      add: { sold: quantity },
      if: '#sold <= :maxBefore',
      values: { maxBefore: totalTickets - quantity },
    },
  })
  const remaining = await leftOf(table, eventId)
  // If the tickets exist, the first attempt of this sale was written and its response was lost.
  if (refused?.event !== undefined && refused.tickets === undefined) throw soldOut(remaining)
  return { ticketIds: ticketIds(purchaseId, quantity), remaining }
}

async function leftOf(table: Table, eventId: string): Promise<number> {
  const { totalTickets, sold }: Event = await requireEvent({ table }, eventId)
  return totalTickets - sold
}

/** Returns the ticket ids: the sale's id and a number. */
function ticketIds(purchaseId: string, quantity: number): string[] {
  return Array.from(
    { length: quantity },
    (_, i) => `${purchaseId}-${String(i + 1).padStart(4, '0')}`,
  )
}

function soldOut(remaining: number): PlatformError {
  return new PlatformError('conflict', 'There are not enough tickets left', {
    code: 'SOLD_OUT',
    details: { remaining },
  })
}
