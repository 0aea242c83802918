import { requireAgent } from '#shared/agents/record/find.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { HasUsdc } from '#shared/money/evm/usdc.ts'
import { withBalances } from '#shared/money/wallets/balances.ts'
import { requireWallet, walletsOf } from '#shared/money/wallets/list.ts'
import {
  agentQuery,
  agentRequest,
  walletAddress,
  walletList,
  walletView,
} from '#shared/money/wallets/schema.ts'
import { openSigner } from '#shared/network/signer/client.ts'
import type { HasSigner } from '#shared/network/signer/port.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { userGroup } from '../common/user-group.ts'

export type Services = Pick<Context, 'table'> & HasSigner & HasUsdc

const route = routesWith<Services>()

export const routes = [
  route({
    name: 'wallets.list',
    method: 'GET',
    path: '/api/wallet',
    summary: 'List wallets',
    description: 'Oldest first, with their balances.',
    tag: 'wallets',
    guard: 'session',
    response: walletList,
    errors: ['unauthorized'],
    handle: async ({ table, chain, owner }) => {
      const wallets = await walletsOf({ table }, { userId: owner })
      return withBalances(chain, wallets)
    },
  }),

  route({
    name: 'wallets.address',
    method: 'GET',
    path: '/api/wallet/address',
    summary: 'Get a wallet address',
    description: 'Without an agent, returns the address of the newest wallet.',
    tag: 'wallets',
    guard: 'session',
    query: agentQuery,
    response: walletAddress,
    errors: ['bad-request', 'unauthorized', 'not-found'],
    handle: ({ table, owner }, { query }) => requireWallet({ table }, { userId: owner, ...query }),
  }),

  route({
    name: 'wallets.create',
    method: 'POST',
    path: '/api/wallet/create',
    summary: 'Create a wallet for an agent',
    description: 'Returns 200 with the existing wallet if the agent has one.',
    tag: 'wallets',
    guard: 'session',
    body: agentRequest,
    status: 201,
    response: walletView,
    errors: ['bad-request', 'unauthorized', 'not-found', 'unavailable'],
    audits: ['wallet.created'],
    idempotent: true,
    handle: async ({ table, signer, owner }, { body: { agentId } }) => {
      await requireAgent({ table }, { agentId, owner })
      const { address, created } = await signer.createWallet({ agentId })
      const wallet = { address, agentId, userId: owner }
      return created ? wallet : Response.json(wallet)
    },
  }),
]

export function wire(config: ConfigOf<'web-wallets'>): Wiring<Services> {
  const signerFor = openSigner(config)
  return userGroup(config, (table) => (origin) => ({
    table,
    chain: config,
    signer: signerFor(origin),
  }))
}
