import { shardOf } from '#shared/platform/table/shard.ts'

/** Separate from the rows, which few functions may access: the operator's view counts due work. */
const workShards = 8

/** The index partitions of wallets with work. */
export const workPartitions = Array.from({ length: workShards }, (_, shard) => `payers#${shard}`)

/** Returns the index keys of work that is overdue from `at` (epoch milliseconds). */
export function workIndex(wallet: string, at: number) {
  const due = new Date(at).toISOString()
  return { gsi1pk: `payers#${shardOf(wallet, workShards)}`, gsi1sk: `${due}#${wallet}` }
}
