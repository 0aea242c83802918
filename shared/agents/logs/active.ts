import type { InternalActor } from '#shared/platform/identity/actor.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { listAgents } from '../record/list.ts'
import { listStreams } from './stream.ts'

/**
 * Lists the agents whose logs are being streamed, with their streams and sent lines: the agents of the user that the
 * caller acts for, or all agents without a user.
 */
export async function listActive({
  table,
  owner,
}: Pick<Context<InternalActor>, 'table' | 'owner'>) {
  const [streams, own] = await Promise.all([
    listStreams({ table }),
    owner === undefined ? undefined : listAgents({ table }, { userId: owner }),
  ])
  const mine = own && new Set(own.map(({ id }) => id))
  const visible = streams.filter(({ agentId }) => mine === undefined || mine.has(agentId))
  return [...Map.groupBy(visible, ({ agentId }) => agentId)].map(([agentId, each]) => ({
    agentId,
    clients: each.length,
    lines: each.reduce((sum, { lines }) => sum + lines, 0),
  }))
}
