import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { HasUsdc } from '#shared/money/evm/usdc.ts'
import { requireSplitChain } from '#shared/network/splits/chain/require.ts'
import { createSplit } from '#shared/network/splits/create.ts'
import { requireSplit, showSplit } from '#shared/network/splits/find.ts'
import { retrySplit } from '#shared/network/splits/retry.ts'
import { newSplit, queuedSplit, splitParams, splitView } from '#shared/network/splits/schema.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { openTable } from '#shared/platform/table/open.ts'

export type Services = Pick<Context, 'table'> & Sends<'splits'> & HasUsdc

const route = routesWith<Services>()

export const routes = [
  route({
    name: 'splits.create',
    method: 'POST',
    path: '/api/underground/splits',
    summary: 'Create a split payment',
    description: 'Pays a total in USDC from an agent’s wallet to several recipients.',
    tag: 'underground',
    guard: 'internal',
    body: newSplit,
    response: queuedSplit,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'unavailable'],
    audits: ['split.created'],
    idempotent: true,
    handle: async (ctx, { body }) => {
      const { owner } = ctx
      if (owner !== undefined && owner !== body.userId)
        throw new PlatformError('bad-request', 'userId differs from x-user-id')
      const chain = await requireSplitChain(ctx.chain)
      return { success: true as const, ...(await createSplit(ctx, { ...body, ...chain })) }
    },
  }),
  route({
    name: 'splits.get',
    method: 'GET',
    path: '/api/underground/splits/:splitId',
    summary: 'Get a split payment',
    tag: 'underground',
    guard: 'internal',
    params: splitParams,
    response: splitView,
    errors: ['unauthorized', 'not-found'],
    handle: (ctx, { params: { splitId } }) => showSplit(ctx, { splitId, owner: ctx.owner }),
  }),
  route({
    name: 'splits.retry',
    method: 'POST',
    path: '/api/underground/splits/:splitId/retry',
    summary: 'Retry a failed split payment',
    description: 'Retries only the recipients that were not paid.',
    tag: 'underground',
    guard: 'internal',
    params: splitParams,
    response: queuedSplit,
    errors: ['unauthorized', 'not-found', 'conflict', 'unavailable'],
    notAudited: 'the result is audited: split.completed or split.failed',
    idempotent: true,
    handle: async (ctx, { params: { splitId } }) => {
      const query = { splitId, owner: ctx.owner }
      await requireSplit(ctx, query)
      await requireSplitChain(ctx.chain)
      return { success: true as const, ...(await retrySplit(ctx, query)) }
    },
  }),
]

export function wire(config: ConfigOf<'backend-splits'>): Wiring<Services> {
  const table = openTable(config)
  const queuesFor = openQueues(config)
  return {
    services: (origin) => ({ table, queues: queuesFor(origin), chain: config }),
    table,
  }
}
