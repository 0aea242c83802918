import { locateAgent } from '#shared/agents/record/find.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { InternalActor } from '#shared/platform/identity/actor.ts'
import type { Context, UserContext } from '#shared/platform/identity/context.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { bookingRows } from './rows.ts'
import type { Booking } from './schema.ts'

/** The maximum length of a message id; no booking has a longer id. */
const longestId = 128

export async function findBooking(
  { table }: { table: Table },
  bookingId: string,
): Promise<Booking | undefined> {
  if (bookingId === '' || bookingId.length > longestId) return undefined
  return bookingRows.find(table, { bookingId })
}

/**
 * Returns a booking for a trusted caller, who may act for a user.
 * @throws PlatformError 404, also if the user owns neither party
 */
export async function requireBooking(
  { table, owner }: Pick<Context<InternalActor>, 'owner' | 'table'>,
  { bookingId }: { bookingId: string },
): Promise<Booking> {
  const booking = await findBooking({ table }, bookingId)
  if (booking === undefined) throw notFound('Booking')
  if (owner !== undefined) {
    const owners = await ownersOf({ table }, booking)
    if (!owners.includes(owner)) throw notFound('Booking')
  }
  return booking
}

/**
 * Returns the owners of the parties: the opener's, then the other side's. null for agents of the platform and for
 * deleted agents.
 */
export function ownersOf(
  { table }: { table: Table },
  { from, to }: Pick<Booking, 'from' | 'to'>,
): Promise<(string | null)[]> {
  return Promise.all(
    [from, to].map(async (agentId) => (await locateAgent(table, agentId))?.userId ?? null),
  )
}

/**
 * Returns a booking with one of the user's agents.
 * @throws PlatformError 404
 */
export async function requireOwnBooking(
  { table, owner }: Pick<UserContext, 'owner' | 'table'>,
  { bookingId }: { bookingId: string },
): Promise<Booking> {
  const booking = await findBooking({ table }, bookingId)
  const owners = booking && (await ownersOf({ table }, booking))
  if (booking === undefined || !owners?.includes(owner)) throw notFound('Booking')
  return booking
}
