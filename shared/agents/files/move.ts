import { requireAgent } from '#shared/agents/record/find.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { changeFiles, type FilesContext } from './change.ts'
import { pathBlocked, treePath, fileNotFound } from './faults.ts'
import { namesIn } from './path.ts'

interface MoveInput {
  agentId: string
  from: string
  to: string
  /** True to replace what exists at `to`. */
  overwrite: boolean
}

/**
 * Moves a file or a folder of a caller's agent, and creates the missing folders above `to`.
 * @throws PlatformError 400 for a move into itself, 404 if nothing exists at `from`, 409 if something exists at `to`
 * without `overwrite`, or a name above it is not a folder; as changeFiles
 */
export async function moveFile(
  ctx: FilesContext & Pick<UserContext, 'owner'>,
  { agentId, from, to, overwrite }: MoveInput,
): Promise<void> {
  const { table, owner } = ctx
  const agent = await requireAgent({ table }, { agentId, owner })
  if (`${to}/`.startsWith(`${from}/`))
    throw new PlatformError('bad-request', 'A file or folder cannot be moved into itself')
  const [source, target] = [treePath(namesIn(from)), treePath(namesIn(to))]
  const sync = { agent, names: undefined }
  await changeFiles(ctx, { userId: owner, agentId, sync }, async ({ tree }) => {
    if ((await tree.find(source)) === undefined) throw fileNotFound()
    if (!overwrite && (await tree.kind(target)) !== undefined)
      throw pathBlocked('Something exists at to; move with overwrite to replace it')
    // Replacing a folder by its own content would remove the rest of that content.
    if (`${from}/`.startsWith(`${to}/`))
      throw pathBlocked('A folder cannot be replaced by a part of its content')
    if (!(await tree.move(source, target, Date.now())))
      throw pathBlocked('A file is in the way: a part of to is not a folder')
  })
}
