import type { Context } from '#shared/platform/identity/context.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import type { Item, Write } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { installsRows } from '../rows.ts'

/** A skill in one of a user's agents. */
export interface Install {
  agentId: string
  skillId: string
}

/** All skills that a user has installed, in one row, so that concurrent installs cannot exceed the plan's limit. */
export interface Installs {
  installs: readonly Install[]
  /** The revision of the row that was read; 0 if it does not exist. */
  revision: number
}

export async function readInstalls(
  { table }: Pick<Context, 'table'>,
  { userId }: { userId: string },
): Promise<Installs> {
  return toInstalls(await userStore(table, userId).get(installsRows.sk({})))
}

/**
 * Returns the write of the new row, for the transaction that installs or removes a skill. It is rejected if the row has
 * changed.
 */
export function installsWrite(
  userId: string,
  before: Installs,
  installs: readonly Install[],
): Write {
  const { put, condition } = replacement(before, installs)
  return { put: { ...put, ...installsRows.key({ userId }) }, ...condition }
}

/** Releases a deleted agent's share of the skill limit. */
export async function freeInstalls(
  { table }: Pick<Context, 'table'>,
  { userId, agentId }: { userId: string; agentId: string },
): Promise<void> {
  await changeItem(userStore(table, userId).row(installsRows.sk({})), (item) => {
    const before = toInstalls(item)
    const remaining = before.installs.filter((one) => one.agentId !== agentId)
    return remaining.length === before.installs.length ? undefined : replacement(before, remaining)
  })
}

function toInstalls(item: Item | undefined): Installs {
  return item === undefined ? { installs: [], revision: 0 } : installsRows.parse(item)
}

function replacement({ revision }: Installs, installs: readonly Install[]) {
  return {
    put: installsRows.attributes({ installs: [...installs], revision: revision + 1 }),
    condition:
      revision === 0
        ? { if: 'attribute_not_exists(pk)' }
        : { if: '#revision = :revision', values: { revision } },
  }
}
