import type { Write } from '../../platform/table/port.ts'
import { shardOf } from '../../platform/table/shard.ts'
import { absent } from '../../platform/table/present.ts'
import { type AgentRef, agentShards, ownerOf, subdomainItem, toItem } from '../agent.ts'
import type { Agent } from '../record.ts'
import { locatorRows, watchPartition, watchRows } from '../rows.ts'
import { placeOf } from './place.ts'

/** The rows of a new agent by which it is found, for the transaction that makes it. */
export function newAgentParts(agent: Agent) {
  return {
    agent: { put: toItem(agent), ...absent() },
    watch: watchWrite(agent, undefined),
    locator: { put: locatorRows.put({ agentId: agent.id }, { userId: agent.userId }), ...absent() },
    subdomain: { put: subdomainItem(agent), ...absent() },
  }
}

/**
 * What is written with an agent's row, so that its watch stands where the row says.
 * @param before where it stood; undefined where it had none
 * @returns undefined where it stands there still
 */
export function watchWrite(agent: Agent, before: string | undefined): Write | undefined {
  const { id: agentId, userId } = agent
  const place = placeOf(agent)
  if (place === before) return undefined
  if (place === undefined) return { delete: watchKey({ userId, agentId }) }
  const keys = { gsi1pk: watchPartition(shardOf(agentId, agentShards)), gsi1sk: place }
  return { put: watchRows.put({ userId: ownerOf({ userId }), agentId }, {}, keys) }
}

/** The key of an agent's watch. */
export function watchKey({ userId, agentId }: AgentRef) {
  return watchRows.key({ userId: ownerOf({ userId }), agentId })
}
