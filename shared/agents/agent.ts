import type { PlanName } from '../plans/plans.ts'
import type { Address, TaskHealth, TaskStop } from '../platform/containers/port.ts'
import type { Item, Key } from '../platform/table/port.ts'
import { shardOf } from '../platform/table/shard.ts'
import { platformOwner, userPartition } from '../platform/table/user-store.ts'
import type { Watchdog } from '../watchdog/schema.ts'
import type { Lineage } from './clone/lineage.ts'
import type { Verification } from './verification/verification.ts'
import type { WorkspaceState } from './workspace/state.ts'
import type { Secrets } from './config/secrets.ts'
import type { Recipe } from './healthy/recipe.ts'

/** Stored states, in the web surface's words: contract.md 7. */
export const agentStatuses = ['pending', 'provisioning', 'running', 'stopped', 'error'] as const

export type AgentStatus = (typeof agentStatuses)[number]

/** One agent: what is wanted of it, and what was last seen of it. Every write raises `revision`. */
export interface Agent {
  id: string
  /** Null for one that the platform itself made. */
  userId: string | null
  name: string
  /** The first label of its own host name. */
  subdomain: string
  model: string
  plan: PlanName
  aiProvider: string
  config: AgentConfig
  /** The secrets of its config, each sealed for its place. */
  secrets?: Secrets | undefined
  /** The image that it was last started from. */
  image: string
  /** The image wanted for this agent; absent: the platform's own. */
  pinnedImage?: string | undefined
  /** What it ran before its last update. */
  previousImage?: string | undefined
  /** Its image is new and was not seen to be well yet; where it fails, `pin` is wanted again, null for the platform's. */
  trial?: { pin: string | null } | undefined
  /** What its container was made from, until that is seen to be well. */
  startedWith?: Recipe | undefined
  /** What it was made from when it was well last. */
  healthyConfig?: Recipe | undefined
  /** The image that it was well on last. */
  healthyImage?: string | undefined
  /** It is made from `healthyConfig`, not from its config, until a person starts it. */
  fallenBack?: true | undefined
  status: AgentStatus

  desired: 'running' | 'stopped'
  /** Counts starts; whatever belongs to an earlier one is stale. */
  generation: number
  revision: number
  /** Counts rotations of the gateway token. */
  tokenVersion: number

  /** The task of this generation, once there is one. */
  taskArn?: string | undefined
  /** The task of an earlier generation, until it is seen to have stopped: two must never run at once. */
  previousTaskArn?: string | undefined
  /** The task that came before this one, running or not: what it printed says why another was needed. */
  formerTaskArn?: string | undefined
  taskStatus?: string | undefined
  taskHealth?: TaskHealth | undefined
  /** The version of `taskArn` that was last seen. */
  taskVersion?: number | undefined
  address?: Address | undefined
  /** SHA-256 of the generation's AI key, while it is good. */
  aiKeyHash?: string | undefined
  /** Starts that found no capacity, in a row. */
  startAttempts?: number | undefined
  /** Epoch milliseconds until which nothing tries again. */
  retryAt?: number | undefined
  startedAt?: string | undefined
  /** Why it stopped last; gone once it runs again. */
  stopReason?: TaskStop | undefined

  /** Its subdomain names it in a row of its own; every agent is given one with its next write. */
  located?: true | undefined

  verification?: Verification | undefined
  /** Of a clone. */
  lineage?: Lineage | undefined

  watchdog: Watchdog
  /** It was stopped because nobody had anything for it to do; whoever wants something of it wakes it. */
  asleep?: true | undefined
  /** It was asleep, was woken, and is on its way. */
  waking?: true | undefined
  /** When somebody last worked with it, to the minute. */
  lastActiveAt?: string | undefined
  /** Epoch milliseconds until which work with it counts as going on. */
  busyUntil?: number | undefined
  /** How far its container has its memory and skills; absent while it has neither. */
  workspace?: WorkspaceState | undefined
  /** It is gone for everyone but the consumer that removes what it leaves. */
  deleting?: true | undefined
  createdAt: string
  updatedAt: string
}

/** Known keys are contract.md 7's; others are kept as given. */
export interface AgentConfig extends Record<string, unknown> {
  systemPrompt?: string | undefined
  model?: string | undefined
}

/** What names an agent's row. */
export interface AgentRef {
  userId: string | null
  agentId: string
}

/** The tasks of an agent that are not known to have stopped. */
export function liveTasks({ taskArn, taskStatus, previousTaskArn }: Agent): string[] {
  const own = taskStatus === 'STOPPED' ? undefined : taskArn
  return [own, previousTaskArn].filter((arn) => arn !== undefined)
}

/** The sort key of an agent within its owner's partition. */
export function agentSortKey(agentId: string): string {
  return `agent#${agentId}`
}

/** The user id under which an agent's rows are kept. */
export function ownerOf({ userId }: { userId: string | null }): string {
  return userId ?? platformOwner
}

export function agentKey({ userId, agentId }: AgentRef): Key {
  return { pk: userPartition(ownerOf({ userId })), sk: agentSortKey(agentId) }
}

/** Where an agent's id tells whose it is. */
export function locatorKey(agentId: string): Key {
  return { pk: `agent#${agentId}`, sk: 'owner' }
}

/** Where an agent's host name tells which agent it is. */
export function subdomainKey(subdomain: string): Key {
  return { pk: `subdomain#${subdomain}`, sk: 'agent' }
}

/** Where an AI key tells which agent it is, while it is good. */
export function aiKeyKey(hash: string): Key {
  return { pk: `aikey#${hash}`, sk: 'key' }
}

/** The whole platform's agents are spread over this many partitions of the index. */
export const agentShards = 16

export function shardPartition(shard: number): string {
  return `agents#${shard}`
}

/** The row that a subdomain is looked up by. */
export function subdomainItem({ id, userId, subdomain }: Agent): Item {
  return { ...subdomainKey(subdomain), agentId: id, userId }
}

/** An agent as its row. */
export function toItem(agent: Agent): Item {
  const { pk, sk } = agentKey({ userId: agent.userId, agentId: agent.id })
  return {
    ...agent,
    pk,
    sk,
    gsi1pk: shardPartition(shardOf(agent.id, agentShards)),
    gsi1sk: agent.id,
  }
}

/** A row as the agent it holds: only this module writes such rows, so their form is known. */
export function toAgent(item: Item): Agent {
  const { pk: _pk, sk: _sk, gsi1pk: _gsi1pk, gsi1sk: _gsi1sk, ...agent } = item
  return agent as unknown as Agent
}
