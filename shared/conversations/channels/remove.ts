import type { DeletionHook } from '#shared/agents/record/deletion.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { removeRows } from '#shared/platform/table/remove-rows.ts'
import { channelCountRows, channelLocatorRows, channelRows } from './rows.ts'

/** Removes the channels of a deleted agent. Their services get a 404 from then on. */
export const removeChannels: DeletionHook = async ({ table, store, agentId, deadline }) => {
  const beginsWith = channelRows.prefix({ agentId })
  for (const item of await allItems((from) => store.query({ beginsWith, ...from }))) {
    const { id: channelId } = channelRows.parse(item)
    await table.delete(channelLocatorRows.key({ channelId }))
  }
  return (
    (await removeRows(store, beginsWith, deadline)) &&
    removeRows(store, channelCountRows.sk({ agentId }), deadline)
  )
}
