import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { expectPacks } from './collection/expect-packs.ts'
import { packKey } from './packs.ts'
import { fileRows } from './rows.ts'

interface Content {
  userId: string
  agentId: string
  /** The id of the pack, a ULID. */
  pack: string
  content: Uint8Array
}

/**
 * Stores the content of a file before `putPack` commits it. A pack that is not committed is removed by a collection. A
 * repetition stores the same pack.
 * @throws PlatformError 404 if the agent was deleted
 */
export async function storePack(
  { table, packs }: Pick<Context, 'table'> & Can<'packs'>,
  { userId, agentId, pack, content }: Content,
): Promise<void> {
  const row = await fileRows.find(table, { userId, agentId })
  const { collectAt, announcedAt } = row ?? {}
  await expectPacks({ table }, { userId, agentId, collectAt, announcedAt })
  await packs.put(packKey(agentId, pack), content)
}
