import * as z from 'zod'
import { idPrefixes } from '#shared/manifest/ids.ts'
import { entity } from '#shared/platform/table/entity.ts'
import { agentEvent } from './events/schema.ts'
import { agentRecord } from './record.ts'

/** The number of index partitions for the platform's agents. */
export const agentShards = 16

/** An agent: its desired and its last observed state (record.ts). */
export const agentRows = entity({
  name: 'agent',
  id: idPrefixes.agent,
  pk: 'user#{userId}',
  sk: 'agent#{agentId}',
  gsi1: { pk: 'agents#{shard}', sk: '{agentId}' },
  schema: agentRecord,
})

/** Returns the index partition of a shard of agents. */
export function shardPartition(shard: number): string {
  return `agents#${shard}`
}

/**
 * An index entry with the time when the watchdog must next handle an agent. An agent without due steps has none. All
 * data is in the keys (watch/place.ts).
 */
export const watchRows = entity({
  name: 'agent’s watch',
  pk: 'user#{userId}',
  sk: 'watch#{agentId}',
  gsi1: { pk: 'watch#{shard}', sk: '{place}' },
  schema: () => z.object({}),
})

/** Returns the index partition of a shard's watches. */
export function watchPartition(shard: number): string {
  return `watch#${shard}`
}

/** Maps an agent's id to its owner. Null for an agent of the platform. */
export const locatorRows = entity({
  name: 'agent’s owner',
  pk: 'agent#{agentId}',
  sk: 'owner',
  schema: () => z.object({ userId: z.string().nullable() }),
})

/** Maps a host name to its agent. */
export const subdomainRows = entity({
  name: 'agent’s subdomain',
  pk: 'subdomain#{subdomain}',
  sk: 'agent',
  schema: () => z.object({ agentId: z.string(), userId: z.string().nullable() }),
})

/** Maps the SHA-256 of a valid AI key to its agent. */
export const aiKeyRows = entity({
  name: 'agent’s AI key',
  pk: 'aikey#{hash}',
  sk: 'key',
  schema: () =>
    z.object({ agentId: z.string(), userId: z.string().nullable(), generation: z.number() }),
})

/** Counts the agents of an owner whose account is in another system. */
export const agentCountRows = entity({
  name: 'count of agents',
  pk: 'user#{userId}',
  sk: 'agents',
  schema: () =>
    z.object({
      agentCount: z.number(),
      /** The number of clones that other users have paid for; absent before the first. */
      strangerClones: z.number().optional(),
    }),
})

/**
 * Counts the starts of an owner's resting agents. If two starts are concurrent, the second one finds another number and
 * repeats its check.
 */
export const startsRows = entity({
  name: 'starts of agents',
  pk: 'user#{userId}',
  sk: 'starts',
  schema: () => z.object({ starts: z.number() }),
})

/**
 * All encrypted credentials of an agent in one row, because their total size is limited and a start needs all of them.
 */
export const credentialsRows = entity({
  name: 'agent’s credentials',
  pk: 'user#{userId}',
  sk: 'credentials#{agentId}',
  schema: () =>
    z.object({
      credentials: z.record(
        z.string(),
        z.object({
          sealed: z.string(),
          /** Its part of the size limit, in characters as JSON. */
          size: z.number(),
          updatedAt: z.string(),
        }),
      ),
      revision: z.number(),
    }),
})

/** The approved and blocked senders of an agent's bots, by service and sender id. A start of the agent reads all of them. */
export const senderRows = entity({
  name: 'senders of an agent’s bots',
  pk: 'user#{userId}',
  sk: 'senders#{agentId}',
  schema: () =>
    z.object({
      channels: z.record(
        z.string(),
        z.record(
          z.string(),
          z.object({
            name: z.string().nullable(),
            state: z.enum(['approved', 'blocked']),
            decidedAt: z.string(),
          }),
        ),
      ),
      revision: z.number(),
    }),
})

/**
 * A current or earlier task of an agent, by its generation in ten digits, so that its log is found after the task was
 * replaced.
 */
export const taskRows = entity({
  name: 'agent’s task',
  pk: 'user#{userId}',
  sk: 'container#{agentId}#{generation}',
  schema: () =>
    z.object({
      taskArn: z.string(),
      /** The generation of the task. Each has one task at most. */
      generation: z.number(),
      /** ISO 8601. Absent until the end is recorded. */
      endedAt: z.string().optional(),
      exitCode: z.number().nullable().optional(),
    }),
})

/** An event of an agent, by the revision of its row. */
export const agentEventRows = entity({
  name: 'agent’s event',
  pk: 'user#{userId}',
  sk: 'agent-event#{agentId}#{place}',
  schema: agentEvent,
})

/** A deleted agent can be restored for this long, in milliseconds. */
export const deletedAgentMs = 7 * 86_400_000

/** A deleted agent that can be restored. */
export const deletedAgentRows = entity({
  name: 'deleted agent',
  pk: 'user#{userId}',
  sk: 'deleted-agent#{agentId}',
  schema: () =>
    z.object({
      agentId: z.string(),
      name: z.string(),
      subdomain: z.string(),
      /** ISO 8601. */
      deletedAt: z.string(),
      /** The restore point that is created before its data is deleted. */
      snapshotId: z.string(),
      /** Its last generation and gateway token version. A restored agent must use neither again. */
      generation: z.number(),
      tokenVersion: z.number(),
      /** Its spend caps at the deletion. */
      spendCapUsd: z.number().optional(),
      spendCapUsdPerDay: z.number().optional(),
      /** Epoch milliseconds: the end of the lease of the process that removes its data. */
      heldUntil: z.number().optional(),
      heldBy: z.string().optional(),
      /** The restore in progress, set before it writes the agent's data again. */
      reviving: z.string().optional(),
    }),
})
