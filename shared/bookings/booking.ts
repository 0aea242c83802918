import { locateAgent } from '../agents/find.ts'
import type { InternalActor } from '../identity/actor.ts'
import type { Context, UserContext } from '../identity/context.ts'
import { notFound } from '../platform/errors.ts'
import type { Table } from '../platform/table/port.ts'
import { bookingRows } from './rows.ts'
import type { Booking } from './schema.ts'

/** As long as an id of a message can be; other text names no booking, and would be no key. */
const longestId = 128

export async function findBooking(
  { table }: { table: Table },
  bookingId: string,
): Promise<Booking | undefined> {
  if (bookingId === '' || bookingId.length > longestId) return undefined
  const row = await table.get(bookingRows.key({ bookingId }))
  return row && bookingRows.parse(row)
}

/**
 * A booking as a trusted caller sees it, who may act for a user.
 * @throws PlatformError 404, also where neither party is that user's
 */
export async function requireBooking(
  { table, actor }: Pick<Context<InternalActor>, 'actor' | 'table'>,
  { bookingId }: { bookingId: string },
): Promise<Booking> {
  const booking = await findBooking({ table }, bookingId)
  if (booking === undefined) throw notFound('Booking')
  if (actor.userId !== undefined) {
    const owners = await ownersOf({ table }, booking)
    if (!owners.includes(actor.userId)) throw notFound('Booking')
  }
  return booking
}

/** The users whose agents the parties are: of the opener, then of the other side; null for the platform's own and for deleted agents. */
export function ownersOf(
  { table }: { table: Table },
  { from, to }: Pick<Booking, 'from' | 'to'>,
): Promise<(string | null)[]> {
  return Promise.all(
    [from, to].map(async (agentId) => (await locateAgent(table, agentId))?.userId ?? null),
  )
}

/** A booking in which an agent of the user takes part. @throws PlatformError 404 */
export async function requireOwnBooking(
  { table, actor }: Pick<UserContext, 'actor' | 'table'>,
  { bookingId }: { bookingId: string },
): Promise<Booking> {
  const booking = await findBooking({ table }, bookingId)
  const owners = booking && (await ownersOf({ table }, booking))
  if (booking === undefined || !owners?.includes(actor.user.id)) throw notFound('Booking')
  return booking
}
