import { shardOf } from '../platform/table/shard.ts'

/** Apart from the rows, which few functions are granted: an operator's view counts what is due. */
const workShards = 8

/** Every partition of the index that wallets with work are in. */
export const workPartitions = Array.from({ length: workShards }, (_, shard) => `payers#${shard}`)

/** The place in the index of work that is overdue from `at` (epoch milliseconds) on. */
export function workIndex(wallet: string, at: number) {
  const due = new Date(at).toISOString()
  return { gsi1pk: `payers#${shardOf(wallet, workShards)}`, gsi1sk: `${due}#${wallet}` }
}
