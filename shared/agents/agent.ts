import type { Item, Key } from '../platform/table/port.ts'
import { shardOf } from '../platform/table/shard.ts'
import { platformOwner } from '../platform/table/user-store.ts'
import type { Agent } from './record.ts'
import { agentStatuses } from './statuses.ts'
import {
  agentRows,
  agentShards,
  aiKeyRows,
  locatorRows,
  shardPartition,
  subdomainRows,
} from './rows.ts'
import { liveTasks } from './tasks.ts'
import { placeOf } from './watch/place.ts'

export { type Agent, agentShards, agentStatuses, liveTasks, shardPartition }

/** The most agents of a page, in the lists of every user's agents. */
export const mostOfPage = 500

export type AgentStatus = Agent['status']

export type AgentConfig = Agent['config']

/** What names an agent's row. */
export interface AgentRef {
  userId: string | null
  agentId: string
}

/** The sort key of an agent within its owner's partition. */
export function agentSortKey(agentId: string): string {
  return agentRows.sk({ agentId })
}

/** The user id under which an agent's rows are kept. */
export function ownerOf({ userId }: { userId: string | null }): string {
  return userId ?? platformOwner
}

export function agentKey({ userId, agentId }: AgentRef): Key {
  return agentRows.key({ userId: ownerOf({ userId }), agentId })
}

/** Where an agent's id tells whose it is. */
export function locatorKey(agentId: string): Key {
  return locatorRows.key({ agentId })
}

/** Where an agent's host name tells which agent it is. */
export function subdomainKey(subdomain: string): Key {
  return subdomainRows.key({ subdomain })
}

/** Where an AI key tells which agent it is, while it is good. */
export function aiKeyKey(hash: string): Key {
  return aiKeyRows.key({ hash })
}

/** The row that a subdomain is looked up by. */
export function subdomainItem({ id, userId, subdomain }: Agent): Item {
  return subdomainRows.put({ subdomain }, { agentId: id, userId })
}

/** An agent as its row. */
export function toItem(given: Agent): Item {
  const agent = { ...given, watched: placeOf(given) }
  return agentRows.put({ userId: ownerOf(agent), agentId: agent.id }, agent, {
    gsi1pk: shardPartition(shardOf(agent.id, agentShards)),
    gsi1sk: agent.id,
  })
}

/** The agent that a row holds; only this noun writes such rows, so their form is known. */
export function toAgent(item: Item): Agent {
  return agentRows.parse(item)
}
