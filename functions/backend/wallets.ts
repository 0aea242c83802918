import { requireAgent } from '#shared/agents/record/find.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { HasUsdc } from '#shared/money/evm/usdc.ts'
import { walletBalance } from '#shared/money/wallets/balance.ts'
import {
  ownerQuery,
  walletBalance as balanceView,
  walletParams,
  walletRequest,
  walletView,
} from '#shared/money/wallets/schema.ts'
import { openSigner } from '#shared/network/signer/client.ts'
import type { HasSigner } from '#shared/network/signer/port.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { openTable } from '#shared/platform/table/open.ts'

export type Services = Pick<Context, 'table'> & HasSigner & HasUsdc

const route = routesWith<Services>()

export const routes = [
  route({
    name: 'wallets.create',
    method: 'POST',
    path: '/api/underground/wallets',
    summary: 'Create a wallet for an agent',
    description: 'Returns 200 with the existing wallet if the agent has one.',
    tag: 'wallets',
    guard: 'internal',
    body: walletRequest,
    status: 201,
    response: walletView,
    errors: [
      'bad-request',
      'unauthorized',
      'forbidden',
      'not-found',
      'too-many-requests',
      'unavailable',
    ],
    audits: ['wallet.created'],
    idempotent: true,
    handle: async ({ table, signer, owner }, { body }) => {
      const { agentId, userId } = body
      requireSameUser(owner, userId)
      await requireAgent({ table }, { agentId, owner: userId })
      const { address, created } = await signer.createWallet({ agentId })
      const wallet = { address, agentId, userId }
      return created ? wallet : Response.json(wallet)
    },
  }),

  route({
    name: 'wallets.balance',
    method: 'GET',
    path: '/api/underground/wallets/:address/balance',
    summary: 'Get the USDC balance of a wallet',
    tag: 'wallets',
    guard: 'internal',
    params: walletParams,
    query: ownerQuery,
    response: balanceView,
    errors: [
      'bad-request',
      'unauthorized',
      'forbidden',
      'not-found',
      'too-many-requests',
      'unavailable',
    ],
    handle: (context, { params, query }) => {
      requireSameUser(context.owner, query.userId)
      return walletBalance(context, { ...params, ...query })
    },
  }),
]

function requireSameUser(acting: string | undefined, userId: string): void {
  if (acting !== undefined && acting !== userId)
    throw new PlatformError('bad-request', 'userId differs from x-user-id')
}

export function wire(config: ConfigOf<'backend-wallets'>): Wiring<Services> {
  const table = openTable(config)
  const signerFor = openSigner(config)
  return {
    services: (origin) => ({ table, chain: config, signer: signerFor(origin) }),
    table,
  }
}
