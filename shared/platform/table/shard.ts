/** How many different hashes there are. */
export const hashes = 65_521

/** A number from 0 to `hashes` - 1, an even spread of ids that is independent of the order that they were made in. */
export function hashOf(id: string): number {
  let hash = 0
  for (let i = 0; i < id.length; i++) hash = (hash * 31 + id.charCodeAt(i)) % hashes
  return hash
}

/** The one of so many partitions that an id belongs to, so that no single partition takes every write. */
export function shardOf(id: string, shards: number): number {
  return hashOf(id) % shards
}
