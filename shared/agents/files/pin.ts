import type { Context } from '#shared/platform/identity/context.ts'
import { commit, tryCommit } from '#shared/platform/table/commit.ts'
import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { fileRows, filesDue, pinRows } from './rows.ts'
import type { Part } from './tree/entry.ts'
import type { Totals } from './tree/tree.ts'

interface Pin {
  userId: string
  agentId: string
  /** The id of what needs the files, such as a restore point. */
  pinId: string
}

/**
 * Keeps the current files of an agent readable until the pin is removed. A repeat returns the first moment.
 * @returns the root and its totals; undefined if the agent has no files
 */
export async function pinFiles(
  { table }: Pick<Context, 'table'>,
  { userId, agentId, pinId }: Pin,
): Promise<(Totals & { root: Part }) | undefined> {
  return retryOptimistically(async () => {
    const before = await pinRows.find(table, { userId, agentId, pinId })
    if (before !== undefined) return before
    const row = await fileRows.find(table, { userId, agentId })
    if (row?.root === undefined) return undefined
    const { root, bytes, files, version } = row
    const refusals = await tryCommit(table, {
      pin: {
        put: pinRows.put({ userId, agentId, pinId }, { root, bytes, files }),
        if: 'attribute_not_exists(pk)',
      },
      // Otherwise a collection could have removed packs of this root in between.
      files: { check: fileRows.key({ userId, agentId }), ...ifUnchanged({ version }) },
    })
    return refusals === undefined ? { root, bytes, files } : overtaken
  })
}

/** Removes a pin, if it exists. The next collection removes the packs that no other root refers to. */
export async function unpinFiles(
  { table }: Pick<Context, 'table'>,
  { userId, agentId, pinId }: Pin,
  now = Date.now(),
): Promise<void> {
  const key = { userId, agentId, pinId }
  // Without a pin, the update would create a row for the files of an agent that has none.
  if ((await pinRows.find(table, key)) === undefined) return
  await commit(table, unpinWrites(key, now))
}

/** Returns the writes that remove an existing pin, for a transaction. */
export function unpinWrites({ userId, agentId, pinId }: Pin, now = Date.now()) {
  return {
    pin: { delete: pinRows.key({ userId, agentId, pinId }) },
    pinned: {
      update: fileRows.key({ userId, agentId }),
      set: { userId, agentId, collectAt: now, ...filesDue.at(agentId, now) },
    },
  }
}

/** Returns the condition that a pin exists, for a transaction. */
export function ifPinned({ userId, agentId, pinId }: Pin): Write {
  return { check: pinRows.key({ userId, agentId, pinId }), if: 'attribute_exists(pk)' }
}
