import type { Item, Key } from '#shared/platform/table/port.ts'
import { shardOf } from '#shared/platform/table/shard.ts'
import { platformOwner } from '#shared/platform/table/user-store.ts'
import type { Agent } from './record.ts'
import {
  agentRows,
  agentShards,
  aiKeyRows,
  locatorRows,
  shardPartition,
  subdomainRows,
} from './rows.ts'
import { agentStatuses } from './statuses.ts'
import { liveTasks } from './tasks.ts'
import { placeOf } from './watch/place.ts'

export { type Agent, agentShards, agentStatuses, liveTasks, shardPartition }

/** The maximum page size of lists of all users' agents. */
export const maxPageSize = 500

export type AgentStatus = Agent['status']

export type AgentConfig = Agent['config']

/** The ids that identify an agent's row. */
export interface AgentRef {
  userId: string | null
  agentId: string
}

/** Returns the sort key of an agent in its owner's partition. */
export function agentSortKey(agentId: string): string {
  return agentRows.sk({ agentId })
}

/** The condition of a write beside an agent's row: the agent exists, and its deletion has not begun. */
export const agentAlive = {
  if: 'attribute_exists(pk) AND attribute_not_exists(#deleting)',
}

/** Returns the user id of the partition that contains an agent's rows. */
export function ownerOf({ userId }: { userId: string | null }): string {
  return userId ?? platformOwner
}

export function agentKey({ userId, agentId }: AgentRef): Key {
  return agentRows.key({ userId: ownerOf({ userId }), agentId })
}

/** Returns the key of the row that maps an agent's id to its owner. */
export function locatorKey(agentId: string): Key {
  return locatorRows.key({ agentId })
}

/** Returns the key of the row that maps a subdomain to its agent. */
export function subdomainKey(subdomain: string): Key {
  return subdomainRows.key({ subdomain })
}

/** Returns the key of the row that maps a valid AI key to its agent. */
export function aiKeyKey(hash: string): Key {
  return aiKeyRows.key({ hash })
}

/** Returns the row that maps an agent's subdomain to the agent. */
export function subdomainItem({ id, userId, subdomain }: Agent): Item {
  return subdomainRows.put({ subdomain }, { agentId: id, userId })
}

/** Returns the row of an agent, with its place in the watchdog's index. */
export function toItem(source: Agent): Item {
  const agent = { ...source, watched: placeOf(source) }
  return agentRows.put({ userId: ownerOf(agent), agentId: agent.id }, agent, {
    gsi1pk: shardPartition(shardOf(agent.id, agentShards)),
    gsi1sk: agent.id,
  })
}

/** Returns the agent of a row. Not validated, because only this noun writes such rows. */
export function toAgent(item: Item): Agent {
  return agentRows.parse(item)
}
