import { shardOf } from '../table/shard.ts'
import { isoOf } from '../times.ts'

/**
 * The index of a kind of due work: partitions of gsi1 that share the ids, each ordered by due time.
 */
export interface DueIndex {
  readonly partitions: readonly string[]
  /** Returns the index keys of a row that is due at `at` (epoch milliseconds). */
  at(id: string, at: number): { gsi1pk: string; gsi1sk: string }
}

/**
 * Declares the index of one kind of work: `dueIndex('videos', 8)` has the partitions `videos#0` to `videos#7`.
 * A row is in the index until its work is finished.
 */
/* @__NO_SIDE_EFFECTS__ */
export function dueIndex(name: string, shards: number): DueIndex {
  const partition = (shard: number) => `${name}#${shard}`
  return {
    partitions: Array.from({ length: shards }, (_, shard) => partition(shard)),
    at: (id, at) => ({
      gsi1pk: partition(shardOf(id, shards)),
      gsi1sk: `${isoOf(at)}#${id}`,
    }),
  }
}
