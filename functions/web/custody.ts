import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { HasUsdc } from '#shared/money/evm/usdc.ts'
import { withBalances } from '#shared/money/wallets/balances.ts'
import { agentRequest, walletList, walletView } from '#shared/money/wallets/schema.ts'
import { createCustodyWallet } from '#shared/network/custody/create.ts'
import { custodyWalletsOf } from '#shared/network/custody/list.ts'
import { type CustodySettings, requireCustodian } from '#shared/network/custody/open.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { userGroup } from '../common/user-group.ts'

export type Services = Pick<Context, 'table'> & HasUsdc & { custody: CustodySettings }

const route = routesWith<Services>()

export const routes = [
  route({
    name: 'custody.list',
    method: 'GET',
    path: '/api/wallet/cdp',
    summary: 'List custodial wallets',
    description: 'Oldest first, with their balances.',
    tag: 'wallets',
    guard: 'session',
    response: walletList,
    errors: ['unauthorized', 'unavailable'],
    handle: async ({ table, chain, custody, owner }) => {
      requireCustodian(custody)
      const wallets = await custodyWalletsOf({ table }, { userId: owner })
      return withBalances(chain, wallets)
    },
  }),

  route({
    name: 'custody.create',
    method: 'POST',
    path: '/api/wallet/cdp',
    summary: 'Create a custodial wallet for an agent',
    description: 'Returns 200 with the existing wallet if the agent has one.',
    tag: 'wallets',
    guard: 'session',
    body: agentRequest,
    status: 201,
    response: walletView,
    errors: ['bad-request', 'unauthorized', 'not-found', 'bad-gateway', 'unavailable'],
    audits: ['wallet.created'],
    idempotent: true,
    handle: async (ctx, { body: { agentId } }) => {
      const custodian = requireCustodian(ctx.custody)
      const result = await createCustodyWallet({ ...ctx, custodian }, { agentId })
      const { address } = result.wallet
      const wallet = { address, agentId, userId: ctx.owner }
      return result.created ? wallet : Response.json(wallet)
    },
  }),
]

export function wire(config: ConfigOf<'web-custody'>): Wiring<Services> {
  return userGroup(config, (table) => () => ({ table, chain: config, custody: config }))
}
