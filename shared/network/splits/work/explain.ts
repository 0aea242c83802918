import type { Context } from '#shared/platform/identity/context.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import type { Split } from '../record.ts'
import { splitRows } from '../rows.ts'
import { moveSplit } from '../state/moves.ts'
import { changeSplit } from '../write.ts'

/**
 * Stores the reason why a split waits; undefined if it only waits for the chain.
 * @returns the current split
 */
export async function explain(
  { table }: Pick<Context, 'table'>,
  split: Split,
  reason: string | undefined,
): Promise<Split> {
  if (split.status !== 'queued' && split.status !== 'processing') return split
  if (split.reason === reason) return split
  const after = moveSplit(split, { kind: 'wait', reason })
  const { put, ...condition } = changeSplit(split, after)
  const isWritten = await tryWrite(table.put(put, condition))
  return isWritten ? splitRows.parse(put) : split
}
