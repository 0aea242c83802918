import { absent } from '#shared/platform/table/if-present.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { shardOf } from '#shared/platform/table/shard.ts'
import { type AgentRef, agentShards, ownerOf, subdomainItem, toItem } from '../agent.ts'
import type { Agent } from '../record.ts'
import { locatorRows, watchPartition, watchRows } from '../rows.ts'
import { placeOf } from './place.ts'

/** Returns the lookup rows of a new agent, for the transaction that creates it. */
export function newAgentParts(agent: Agent) {
  return {
    agent: { put: toItem(agent), ...absent() },
    watch: watchWrite(agent, undefined),
    locator: { put: locatorRows.put({ agentId: agent.id }, { userId: agent.userId }), ...absent() },
    subdomain: { put: subdomainItem(agent), ...absent() },
  }
}

/**
 * Returns the write of an agent's watch, for the transaction that writes its row.
 * @param before the previous place; undefined without one
 * @returns undefined if the place is unchanged
 */
export function watchWrite(agent: Agent, before: string | undefined): Write | undefined {
  const { id: agentId, userId } = agent
  const place = placeOf(agent)
  if (place === before) return undefined
  if (place === undefined) return { delete: watchKey({ userId, agentId }) }
  const keys = { gsi1pk: watchPartition(shardOf(agentId, agentShards)), gsi1sk: place }
  return { put: watchRows.put({ userId: ownerOf({ userId }), agentId }, {}, keys) }
}

export function watchKey({ userId, agentId }: AgentRef) {
  return watchRows.key({ userId: ownerOf({ userId }), agentId })
}
