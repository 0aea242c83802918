import { bcryptPasswords } from '#shared/accounts/users/password.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { checkScope } from '#shared/http/guards/scope.ts'
import { type Route, routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { HasUsdc } from '#shared/money/evm/usdc.ts'
import { findWalletOf } from '#shared/money/wallets/find.ts'
import { requireOwnBooking } from '#shared/network/bookings/booking.ts'
import { listBookings } from '#shared/network/bookings/list.ts'
import { maxBookings } from '#shared/network/bookings/schema.ts'
import { settleBooking, settlementOf } from '#shared/network/bookings/settle.ts'
import {
  bookingSettlement,
  moneySkill,
  settlementAnswer,
  settlementRequest,
} from '#shared/network/bookings/skill.ts'
import { openSigner } from '#shared/network/signer/client.ts'
import type { HasSigner } from '#shared/network/signer/port.ts'
import { requireSplitChain } from '#shared/network/splits/chain/require.ts'
import { createSplit } from '#shared/network/splits/create.ts'
import { listSplits, requireSplit, showSplit } from '#shared/network/splits/find.ts'
import { retrySplit } from '#shared/network/splits/retry.ts'
import type { SplitTerms } from '#shared/network/splits/schema.ts'
import {
  instantSplit,
  instantSplitAnswer,
  instantSplitRequest,
} from '#shared/network/splits/skill.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context, UserContext } from '#shared/platform/identity/context.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { userGroup } from '../common/user-group.ts'
import { routes as mandates } from './mandates.ts'
import { routes as policies } from './policies.ts'
import { routes as withdrawals, type Services as WithdrawalServices } from './withdrawals.ts'

export type Services = Pick<Context, 'table'> &
  Sends<'splits'> &
  HasSigner &
  HasUsdc &
  WithdrawalServices

const route = routesWith<Services>()

export const routes: readonly Route<Services>[] = [
  ...mandates,
  ...policies,
  ...withdrawals,

  route({
    name: 'bookingSettlement.describe',
    method: 'GET',
    path: '/api/skills/booking-settlement',
    summary: 'Describe the booking-settlement skill',
    tag: 'skills',
    guard: 'session',
    response: moneySkill,
    errors: ['unauthorized'],
    handle: () => bookingSettlement,
  }),

  route({
    name: 'bookingSettlement.act',
    method: 'POST',
    path: '/api/skills/booking-settlement',
    summary: 'Use the booking-settlement skill',
    description: 'Lists bookings of the caller’s agents or pays an accepted one.',
    tag: 'skills',
    guard: 'session',
    scope: ['write', 'money'],
    body: settlementRequest,
    response: settlementAnswer,
    idempotent: true,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'conflict', 'unavailable'],
    audits: ['booking.settled', 'split.created'],
    handle: async (ctx, { body }) => {
      checkAction(ctx, body.action)
      switch (body.action) {
        case 'list':
          return { bookings: (await listBookings(ctx, { limit: maxBookings })).items }
        case 'status':
          return bookingStatus(ctx, body)
        case 'settle':
          return {
            success: true as const,
            ...(await settleBooking(ctx, {
              bookingId: body.bookingId,
              chain: await requireSplitChain(ctx.chain),
            })),
          }
      }
    },
  }),

  route({
    name: 'instantSplit.describe',
    method: 'GET',
    path: '/api/skills/instant-split',
    summary: 'Describe the instant-split skill',
    tag: 'skills',
    guard: 'session',
    response: moneySkill,
    errors: ['unauthorized'],
    handle: () => instantSplit,
  }),

  route({
    name: 'instantSplit.act',
    method: 'POST',
    path: '/api/skills/instant-split',
    summary: 'Use the instant-split skill',
    description:
      'Pays several recipients from an agent’s wallet, or returns the status of a split.',
    tag: 'skills',
    guard: 'session',
    scope: ['write', 'money'],
    body: instantSplitRequest,
    response: instantSplitAnswer,
    idempotent: true,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'conflict', 'unavailable'],
    audits: ['split.created'],
    handle: async (ctx, { body }) => {
      checkAction(ctx, body.action)
      const { owner } = ctx
      switch (body.action) {
        case 'list':
          return { splits: await listSplits(ctx, { userId: owner }) }
        case 'status':
          return showSplit(ctx, { splitId: body.splitId, owner })
        case 'retry': {
          const query = { splitId: body.splitId, owner }
          await requireSplit(ctx, query)
          await requireSplitChain(ctx.chain)
          return { success: true as const, ...(await retrySplit(ctx, query)) }
        }
        case 'create':
          return { success: true as const, ...(await payFromAgent(ctx, body)) }
      }
    },
  }),
]

/** Reads need `write`, as every POST does. Payments need `money`. @throws PlatformError 403 SCOPE_REQUIRED */
function checkAction({ actor }: Pick<UserContext, 'actor'>, action: string): void {
  const looks = action === 'list' || action === 'status'
  checkScope(actor, { method: 'POST', scope: looks ? 'write' : 'money' })
}

async function bookingStatus(
  ctx: UserContext & Sends<'splits'> & HasSigner,
  { bookingId }: { bookingId: string },
) {
  const booking = await requireOwnBooking(ctx, { bookingId })
  const { splitId } = booking
  const settled = splitId === null ? booking : await settlementOf(ctx, { bookingId, splitId })
  return { success: true as const, bookingId, splitId, status: settled.status, booking }
}

/** @throws PlatformError 404 for another user's agent, or an agent without a wallet */
async function payFromAgent(
  ctx: UserContext & Pick<Services, 'queues' | 'chain'>,
  terms: SplitTerms,
) {
  const chain = await requireSplitChain(ctx.chain)
  const { owner } = ctx
  const { id: agentId } = await requireAgent(ctx, { agentId: terms.agentId, owner })
  const wallet = await findWalletOf(ctx, { agentId })
  if (wallet === undefined) throw notFound('Wallet')
  const { name, totalAmount, recipients } = terms
  const fromAddress = wallet.address
  return createSplit(ctx, {
    ...chain,
    userId: owner,
    agentId,
    fromAddress,
    name,
    totalAmount,
    recipients,
  })
}

export function wire(config: ConfigOf<'web-splits'>): Wiring<Services> {
  const queuesFor = openQueues(config)
  const signerFor = openSigner(config)
  const passwords = bcryptPasswords()
  return userGroup(config, (table) => (origin) => ({
    table,
    queues: queuesFor(origin),
    signer: signerFor(origin),
    chain: config,
    passwords,
    lockouts: config.deployed || config.RATE_LIMITS === 'on',
  }))
}
