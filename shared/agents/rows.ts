import * as z from 'zod'
import { idPrefixes } from '../manifest/ids.ts'
import { entity } from '../platform/table/entity.ts'
import { agentRecord } from './record.ts'
import { agentEvent } from './events/schema.ts'

/** The whole platform's agents are spread over this many partitions of the index. */
export const agentShards = 16

/** An agent: what is wanted of it, and what was last seen of it (record.ts). */
export const agentRows = entity({
  name: 'agent',
  id: idPrefixes.agent,
  pk: 'user#{userId}',
  sk: 'agent#{agentId}',
  gsi1: { pk: 'agents#{shard}', sk: '{agentId}' },
  schema: agentRecord,
})

/** The partition of the index that holds a shard of the platform's agents. */
export function shardPartition(shard: number): string {
  return `agents#${shard}`
}

/** When the watchdog has to see to an agent; there is none for one that rests. Its keys say all (watch/place.ts). */
export const watchRows = entity({
  name: 'agent’s watch',
  pk: 'user#{userId}',
  sk: 'watch#{agentId}',
  gsi1: { pk: 'watch#{shard}', sk: '{place}' },
  schema: () => z.object({}),
})

/** The partition of the index that holds the watches of a shard of the platform's agents. */
export function watchPartition(shard: number): string {
  return `watch#${shard}`
}

/** Whose an agent is, by its id alone; null for the platform’s own. */
export const locatorRows = entity({
  name: 'agent’s owner',
  pk: 'agent#{agentId}',
  sk: 'owner',
  schema: () => z.object({ userId: z.string().nullable() }),
})

/** Which agent answers under a host name. */
export const subdomainRows = entity({
  name: 'agent’s subdomain',
  pk: 'subdomain#{subdomain}',
  sk: 'agent',
  schema: () => z.object({ agentId: z.string(), userId: z.string().nullable() }),
})

/** Which agent an AI key belongs to, by the key’s SHA-256, while it is good. */
export const aiKeyRows = entity({
  name: 'agent’s AI key',
  pk: 'aikey#{hash}',
  sk: 'key',
  schema: () =>
    z.object({ agentId: z.string(), userId: z.string().nullable(), generation: z.number() }),
})

/** How many agents an owner has whose account is kept elsewhere. */
export const agentCountRows = entity({
  name: 'count of agents',
  pk: 'user#{userId}',
  sk: 'agents',
  schema: () => z.object({ agentCount: z.number() }),
})

/** How often an owner's agents were started from rest. Of two starts at once, the second finds another number and looks again. */
export const startsRows = entity({
  name: 'starts of agents',
  pk: 'user#{userId}',
  sk: 'starts',
  schema: () => z.object({ starts: z.number() }),
})

/** All credentials of an agent, sealed: they are bounded together, and a start needs all of them. */
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
          /** Its share of what all may take, in characters as JSON. */
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

/** A task that an agent has or had, by its start in ten digits, so that its log is found after it was replaced. */
export const taskRows = entity({
  name: 'agent’s task',
  pk: 'user#{userId}',
  sk: 'container#{agentId}#{generation}',
  schema: () =>
    z.object({
      taskArn: z.string(),
      /** The start that it belongs to: each has one task at most. */
      generation: z.number(),
      /** ISO 8601, once its end was seen. */
      endedAt: z.string().optional(),
      exitCode: z.number().nullable().optional(),
    }),
})

/** Something that became of an agent, by the revision of its row that it came with. */
export const eventRows = entity({
  name: 'agent’s event',
  pk: 'user#{userId}',
  sk: 'agent-event#{agentId}#{place}',
  schema: () => agentEvent,
})

/** How long a deleted agent can be brought back, in milliseconds. */
export const deletedAgentMs = 7 * 86_400_000

/** An agent that was deleted, for as long as it can be brought back. */
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
      /** The restore point that is made before its data go. */
      snapshotId: z.string(),
      /** Of its last start and last gateway token: what comes back must use neither again. */
      generation: z.number(),
      tokenVersion: z.number(),
      /** Its spend cap when it was deleted. */
      spendCapUsd: z.number().optional(),
      /** Epoch milliseconds until which one process removes its data. */
      heldUntil: z.number().optional(),
      heldBy: z.string().optional(),
      /** The restore that brings it back, from the moment that its data may be written again. */
      reviving: z.string().optional(),
    }),
})
