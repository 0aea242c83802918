/** The number of different hashes, a prime. */
export const hashes = 65_521

/** Returns a number from 0 to `hashes` - 1. Ids are spread evenly, independent of their order of creation. */
export function hashOf(id: string): number {
  let hash = 0
  for (let i = 0; i < id.length; i++) hash = (hash * 31 + id.charCodeAt(i)) % hashes
  return hash
}

/** Returns the shard of an id, so that no single partition takes every write. */
export function shardOf(id: string, shards: number): number {
  return hashOf(id) % shards
}
