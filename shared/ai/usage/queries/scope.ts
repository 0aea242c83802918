import { ownerOf } from '#shared/agents/record/agent.ts'
import { locateAgent } from '#shared/agents/record/find.ts'
import { lastDays } from '#shared/platform/days.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { rollupShardOf } from '../rollups.ts'
import { demoCaller } from '../shared-callers.ts'
import type { UsageScope } from './read.ts'
import type { UsageQuery } from './rollups.ts'

/**
 * Returns a trusted caller's query: contract.md 6.
 * @throws PlatformError 400 if the header and the query name different users
 */
export function trustedQuery(
  { owner }: { owner: string | undefined },
  query: { userId?: string | undefined; days: number },
): UsageQuery {
  const userId = owner ?? query.userId
  if (query.userId !== undefined && query.userId !== userId)
    throw new PlatformError('bad-request', 'userId differs from x-user-id')
  const days = lastDays(query.days)
  return { scope: userId === undefined ? 'platform' : { userId }, days }
}

/**
 * Returns the smallest scope with all usage of an agent: its owner, or the agent's shard of the platform if the agent
 * is deleted.
 */
export async function scopeOfAgent(
  table: Table,
  scope: UsageScope,
  agentId: string,
): Promise<UsageScope> {
  if (scope !== 'platform') return scope
  if (agentId === demoCaller.agentId) return { userId: demoCaller.userId }
  const found = await locateAgent(table, agentId)
  return found === undefined
    ? { shard: rollupShardOf({ id: '', agentId, userId: '' }) }
    : { userId: ownerOf(found) }
}
