import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'
import { shardOf } from '../platform/table/shard.ts'

const shards = 8

const partitions = (name: string) =>
  Array.from({ length: shards }, (_, shard) => `${name}#${shard}`)

/** Every partition of the index that restore points are in whose time will be over. */
export const snapshotPartitions = partitions('snapshots')

/** Every partition of the index that restores are in that are not over. */
export const restorePartitions = partitions('restores')

const place = (name: string, id: string, at: number) => ({
  gsi1pk: `${name}#${shardOf(id, shards)}`,
  gsi1sk: `${new Date(at).toISOString()}#${id}`,
})

/**
 * Why a restore point was made: asked for by its owner, by the calendar, or before something that changes much. That of
 * a `begin` is what a new agent is to have; it is never shown, and goes once the agent is there.
 */
export const snapshotKinds = ['manual', 'daily', 'delete', 'update', 'restore', 'begin'] as const

export type SnapshotKind = (typeof snapshotKinds)[number]

/** A restore point of an agent, whose content is an object; in the index from when it may be removed. */
export const snapshotRows = entity({
  name: 'restore point',
  id: 'snp',
  pk: 'user#{userId}',
  sk: 'snapshot#{agentId}#{snapshotId}',
  gsi1: { pk: 'snapshots#{shard}', sk: '{due}#{snapshotId}' },
  schema: () =>
    z.object({
      id: z.string(),
      userId: z.string(),
      agentId: z.string(),
      name: z.string().nullable(),
      kind: z.enum(snapshotKinds),
      /** ISO 8601. */
      createdAt: z.string(),
      /** Of its object, which is whole by then; absent before. */
      bytes: z.number().optional(),
      /** How many scheduled tasks it has; known once it is whole. */
      tasks: z.number().optional(),
      /** The number of rows that a restore of it writes; absent if an earlier release made it. */
      rows: z.number().optional(),
    }),
})

export type Snapshot = z.output<ReturnType<typeof snapshotRows.declared.schema>>

/** The place in the index of a restore point that is kept until then (epoch milliseconds). */
export const removalIndex = (snapshotId: string, at: number) => place('snapshots', snapshotId, at)

/** Where the content of a restore point is kept. */
export function objectOf({ agentId, id }: Pick<Snapshot, 'agentId' | 'id'>): string {
  return `snapshots/${agentId}/${id}.json.gz`
}

/** That an agent is to become what a restore point says; there until it is. */
export const restoreRows = entity({
  name: 'restore',
  id: 'rst',
  pk: 'user#{userId}',
  sk: 'restore#{agentId}',
  gsi1: { pk: 'restores#{shard}', sk: '{due}#{agentId}' },
  schema: () =>
    z.object({
      id: z.string(),
      userId: z.string(),
      agentId: z.string(),
      snapshotId: z.string(),
      /** It brings a deleted agent back, which is counted among its owner's already. */
      revives: z.boolean(),
      /** It makes an agent that was not there before, which is counted among its owner's already. */
      begins: z.literal(true).optional(),
      /** Set if the caller may raise the agent's spend cap. Otherwise the lower cap stays. */
      mayRaiseCap: z.literal(true).optional(),
      /** The number of rows that were counted for it; absent before the count. */
      rows: z.number().optional(),
      /** ISO 8601. */
      requestedAt: z.string(),
      /** Which process is at it, and epoch milliseconds until which it holds it. */
      heldBy: z.string().optional(),
      heldUntil: z.number().optional(),
    }),
})

export type Restore = z.output<ReturnType<typeof restoreRows.declared.schema>>

/** The place in the index of a restore that the tick is to look after from then (epoch milliseconds) on. */
export const restoreIndex = (agentId: string, at: number) => place('restores', agentId, at)

/** The rows that imports, duplicates and restores have written for a user on a day (UTC). */
export const givenRows = entity({
  name: 'count of restored rows',
  pk: 'user#{userId}',
  sk: 'restored-rows#{date}',
  schema: () => z.object({ rows: z.number() }),
})
