import type { HasPasswords } from '#shared/accounts/users/password.ts'
import { Paged } from '#shared/http/paged.ts'
import { routesWith } from '#shared/http/route.ts'
import type { HasUsdc } from '#shared/money/evm/usdc.ts'
import { createWithdrawal } from '#shared/network/withdrawals/create.ts'
import { listWithdrawals } from '#shared/network/withdrawals/list.ts'
import {
  newWithdrawal,
  withdrawalCreated,
  withdrawalList,
  withdrawalQuery,
} from '#shared/network/withdrawals/schema.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'

export type Services = Pick<Context, 'table'> &
  Sends<'splits'> &
  HasUsdc &
  HasPasswords & {
    /** False only for load tests on one machine. */
    lockouts: boolean
  }

const route = routesWith<Services>()

/** Routes that take money out of agents' wallets. */
export const routes = [
  route({
    name: 'withdrawals.create',
    method: 'POST',
    path: '/api/wallet/withdraw',
    summary: 'Withdraw USDC from the wallet of an agent',
    description:
      'Needs a session of the last 15 minutes or the current password. The wallet pays the gas in ETH.',
    tag: 'wallets',
    guard: 'own-session',
    body: newWithdrawal,
    status: 202,
    response: withdrawalCreated,
    errors: [
      'bad-request',
      'unauthorized',
      'forbidden',
      'not-found',
      'too-many-requests',
      'unavailable',
    ],
    codes: ['SESSION_REQUIRED'],
    audits: ['split.created'],
    idempotent: true,
    handle: async (context, { body }) =>
      Response.json(await createWithdrawal(context, body), {
        status: 202,
      }),
  }),

  route({
    name: 'withdrawals.list',
    method: 'GET',
    path: '/api/wallet/withdrawals',
    summary: 'List withdrawals',
    description: 'Newest first.',
    tag: 'wallets',
    guard: 'session',
    query: withdrawalQuery,
    response: withdrawalList,
    pages: true,
    errors: ['bad-request', 'unauthorized'],
    handle: async (ctx, { query }) => {
      const { items, next } = await listWithdrawals(ctx, query)
      return new Paged({ withdrawals: items }, next)
    },
  }),
]
