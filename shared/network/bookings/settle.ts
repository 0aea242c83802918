import { compare, parse } from '#shared/money/amounts/amount.ts'
import { findWalletOf } from '#shared/money/wallets/find.ts'
import type { Wallet } from '#shared/money/wallets/rows.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import { audit } from '#shared/platform/identity/audit.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context, UserContext } from '#shared/platform/identity/context.ts'
import { refusalError, tryCommit } from '#shared/platform/table/commit.ts'
import type { HasSigner } from '../signer/port.ts'
import { splitParts } from '../splits/create.ts'
import { requireSplit } from '../splits/find.ts'
import type { Split, splitStatuses } from '../splits/record.ts'
import { findBooking, ownersOf } from './booking.ts'
import { bookingRows } from './rows.ts'
import type { Booking } from './schema.ts'

/** The split that pays a booking, with its status. */
export interface Settlement {
  bookingId: string
  splitId: number
  status: (typeof splitStatuses)[number]
}

/**
 * Pays an accepted booking: one split transfers the agreed amount from the booker's wallet to the other agent's.
 * Repeated calls create no second split. One transaction creates the split and stores it in the booking.
 * @throws PlatformError 404 for another user's booking, 403 for the side that is paid, 409 unless it is accepted, 400
 * for a currency other than USDC or an amount of 0
 */
export async function settleBooking(
  ctx: UserContext & Sends<'splits'> & HasSigner,
  { bookingId, chain }: { bookingId: string; chain: Pick<Split, 'chainId' | 'token'> },
): Promise<Settlement> {
  const { booking, booker, payee } = await requireBooker(ctx, bookingId)
  if (booking.splitId !== null) return settlementOf(ctx, { bookingId, splitId: booking.splitId })
  requirePayable(booking)
  const [payer, paid] = [await walletOf(ctx, booker), await walletOf(ctx, payee)]
  const { splitId, parts, announce } = await splitParts(ctx, {
    ...chain,
    userId: ctx.owner,
    agentId: booker,
    fromAddress: payer.address,
    name: `Booking ${bookingId}`,
    totalAmount: booking.amount,
    recipients: [{ address: paid.address, share: 100 }],
  })
  const refusals = await tryCommit(ctx.table, {
    ...parts,
    booking: {
      update: bookingRows.key({ bookingId }),
      set: { splitId },
      if: '#splitId = :none',
      values: { none: null },
    },
    settled: await audit(ctx, 'booking.settled', {
      userId: ctx.owner,
      target: bookingId,
      before: booking,
      after: { ...booking, splitId },
    }),
  })
  if (refusals?.booking !== undefined) return settleBooking(ctx, { bookingId, chain })
  if (refusals !== undefined) throw refusalError(refusals, {})
  await announce(ctx.queues)
  return { bookingId, splitId, status: 'queued' }
}

/** Returns a booking for the user who pays it: the owner of the agent that requested it or received the offer. */
async function requireBooker(
  { table, owner }: Pick<UserContext, 'owner' | 'table'>,
  bookingId: string,
) {
  const booking = await findBooking({ table }, bookingId)
  if (booking === undefined) throw notFound('Booking')
  const owners = await ownersOf({ table }, booking)
  const sides = [booking.from, booking.to] as const
  const offered = booking.history[0]?.action === 'BOOKING_OFFER'
  const [booker, payee] = offered ? [sides[1], sides[0]] : sides
  const [payingUser, paidUser] = offered ? owners.toReversed() : owners
  if (payingUser === owner) return { booking, booker, payee }
  if (paidUser === owner)
    throw new PlatformError('forbidden', 'The other side of the booking must pay it')
  throw notFound('Booking')
}

/** Returns the status of a booking's payment, which both sides may see. */
export async function settlementOf(
  { table }: Pick<UserContext, 'table'>,
  { bookingId, splitId }: { bookingId: string; splitId: number },
): Promise<Settlement> {
  const { status } = await requireSplit({ table }, { splitId, owner: undefined })
  return { bookingId, splitId, status }
}

/** @throws PlatformError 409, 400: contract.md 9, booking-settlement */
function requirePayable({ status, currency, amount }: Booking): void {
  if (status !== 'accepted')
    throw new PlatformError('conflict', `Only an accepted booking can be settled; it is ${status}`)
  if (currency !== 'USDC')
    throw new PlatformError(
      'bad-request',
      `A booking in ${currency} cannot be settled; only USDC can`,
    )
  if (compare(parse('USDC', amount), parse('USDC', '0')) === 0)
    throw new PlatformError(
      'bad-request',
      'The price of the booking is 0, so it needs no settlement',
    )
}

/**
 * Returns an agent's wallet, and creates it if necessary.
 * @throws PlatformError 404 if the agent is deleted
 */
async function walletOf(
  { table, signer }: Pick<Context, 'table'> & HasSigner,
  agentId: string,
): Promise<Pick<Wallet, 'address'>> {
  return (await findWalletOf({ table }, { agentId })) ?? signer.createWallet({ agentId })
}
