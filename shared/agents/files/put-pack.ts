import { type Agent, ownerOf } from '#shared/agents/record/agent.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Parts } from '#shared/platform/table/commit.ts'
import { changeFiles, type FilesContext } from './change.ts'
import { requireWritablePath, treePath } from './faults.ts'
import { packKey } from './packs.ts'
import { namesIn } from './path.ts'

interface Stored {
  agent: Agent
  path: string
  /** The id of the pack that contains exactly this file: `storePack`. */
  pack: string
  size: number
  /** Additional writes in the same transaction. */
  also: Parts
  /** Returns the error if one of the additional writes is refused. */
  refused: () => Error
}

/**
 * Commits a stored pack as a file of an agent, with the missing folders above it. The container of a running agent has it
 * afterwards.
 * @throws PlatformError 404 if the pack was removed, 409 if a file is in the way; as changeFiles
 */
export async function putPack(
  ctx: FilesContext,
  { agent, path, pack, size, also, refused }: Stored,
): Promise<void> {
  const { id: agentId } = agent
  const names = treePath(namesIn(path))
  if ((await ctx.packs.sizeOf(packKey(agentId, pack))) !== size)
    throw new PlatformError('not-found', 'The content of the file is no longer stored')
  await changeFiles(
    ctx,
    { userId: ownerOf(agent), agentId, sync: { agent, names }, also, refused },
    async ({ tree, requireRoom }) => {
      await requireWritablePath(tree, names)
      const before = await tree.find(names)
      const replaced = before === undefined || before === 'folder' ? 0 : before.size
      await requireRoom(size - replaced)
      const parts: [string, number, number][] = size === 0 ? [] : [[pack, 0, size]]
      await tree.put(names, { mtime: Date.now(), size, tag: `u-${pack}`, parts })
    },
  )
}
