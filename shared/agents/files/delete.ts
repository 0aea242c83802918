import { requireAgent } from '#shared/agents/record/find.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { changeFiles, type FilesContext } from './change.ts'
import { type Conditions, requireConditions } from './etag.ts'
import { pathBlocked, treePath, fileNotFound } from './faults.ts'
import { namesIn } from './path.ts'

interface DeleteInput {
  agentId: string
  path: string
  /** True to delete a folder with its content. */
  recursive: boolean
  conditions: Conditions
}

/**
 * Deletes a file or a folder of a caller's agent.
 * @throws PlatformError 404 if nothing exists at the path, 409 for a folder without `recursive`, 412 if a condition
 * fails; as changeFiles
 */
export async function deleteFile(
  ctx: FilesContext & Pick<UserContext, 'owner'>,
  { agentId, path, recursive, conditions }: DeleteInput,
): Promise<void> {
  const { table, owner } = ctx
  const agent = await requireAgent({ table }, { agentId, owner })
  const names = treePath(namesIn(path))
  // The content of a folder is not only its direct entries.
  const sync = { agent, names: recursive ? undefined : names }
  await changeFiles(ctx, { userId: owner, agentId, sync }, async ({ tree }) => {
    const found = await tree.find(names)
    requireConditions(conditions, found === 'folder' ? undefined : found?.tag)
    if (found === undefined) throw fileNotFound()
    if (found === 'folder' && !recursive)
      throw pathBlocked('The path is a folder; delete it with recursive=true')
    await tree.remove(names)
  })
}
