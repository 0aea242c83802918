/**
 * The one of so many partitions that an id belongs to: an even spread, independent of the order that ids were made in, so that no
 * single partition takes every write.
 */
export function shardOf(id: string, shards: number): number {
  let hash = 0
  for (let i = 0; i < id.length; i++) hash = (hash * 31 + id.charCodeAt(i)) % 65_521
  return hash % shards
}
