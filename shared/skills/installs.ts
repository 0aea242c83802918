import { withoutConflicts } from '../platform/table/conflict.ts'
import { type Table, TransactionFailed, type Write } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'

/** A skill in one of a user's agents. */
export interface Install {
  agentId: string
  skillId: string
}

/** Everything that a user has installed, in one row: what a plan's limit is held by, however many install at once. */
export interface Installs {
  installs: readonly Install[]
  /** Of the row as it was read; undefined while there is none. */
  revision: number | undefined
}

const installsKey = 'skill-installs'

export async function readInstalls(table: Table, userId: string): Promise<Installs> {
  const row = await userStore(table, userId).get(installsKey)
  if (row === undefined) return { installs: [], revision: undefined }
  return row as unknown as Installs
}

/** The row as it is to be, as a part of the transaction that installs or removes; refused where it has changed. */
export function installsWrite(
  table: Table,
  userId: string,
  { revision = 0 }: Installs,
  installs: readonly Install[],
): Write {
  return userStore(table, userId).write.put(
    installsKey,
    { installs, revision: revision + 1 },
    {
      if: revision === 0 ? 'attribute_not_exists(pk)' : '#revision = :revision',
      ...(revision > 0 && { values: { revision } }),
    },
  )
}

/** Frees the places that a deleted agent's skills took. */
export async function freeInstalls(table: Table, userId: string, agentId: string): Promise<void> {
  for (;;) {
    const before = await readInstalls(table, userId)
    const left = before.installs.filter((one) => one.agentId !== agentId)
    if (left.length === before.installs.length) return
    try {
      return await withoutConflicts(() =>
        table.transact([installsWrite(table, userId, before, left)]),
      )
    } catch (error) {
      // Somebody else was faster.
      if (!(error instanceof TransactionFailed && error.refused(0))) throw error
    }
  }
}
