import { userCount } from '#shared/accounts/users/counter.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { deleteCounted } from '#shared/platform/table/delete-counted.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { visitDue } from '#shared/platform/table/visit-due.ts'
import { exportItems } from './exports/items.ts'
import { importObject, importRows, importsDue } from './rows.ts'

/** Requests exports that are due, and removes archives to import after their time. */
export async function tickArchives(
  ctx: Pick<Context, 'table'> & Sends<'agent-exports'> & Can<'packs'>,
  now = Date.now(),
): Promise<{ exports: number; imports: number }> {
  const { table, packs } = ctx
  const exports = await exportItems.tick(ctx, now)
  const query = { partitions: importsDue.partitions, now }
  const imports = await visitDue(table, query, async (items) => {
    for (const row of items.map(importRows.parse)) {
      await packs.remove(importObject(row))
      const { userId, id } = row
      await deleteCounted(userStore(table, userId), {
        delete: importRows.key({ userId, importId: id }),
        count: userCount(userId, importRows),
      })
    }
    return items.length
  })
  return { exports, imports }
}

/** Lets all archives to import of a deleted account be removed by the next tick. */
export async function expireImports(
  { table }: Pick<Context, 'table'>,
  { userId }: { userId: string },
  now = Date.now(),
): Promise<void> {
  const beginsWith = importRows.prefix()
  const items = await allItems((from) => userStore(table, userId).query({ beginsWith, ...from }))
  for (const { id } of items.map(importRows.parse))
    await table.update(importRows.key({ userId, importId: id }), {
      set: importsDue.at(id, now),
      if: 'attribute_exists(pk)',
    })
}
