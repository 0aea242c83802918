import { requireAgent } from '#shared/agents/record/find.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { once } from '#shared/platform/once.ts'
import { isoOf } from '#shared/platform/times.ts'
import { changeFiles, type FilesContext } from './change.ts'
import { type Conditions, requireConditions, tagOf } from './etag.ts'
import { treePath, requireWritablePath } from './faults.ts'
import { newPack } from './packs.ts'
import { namesIn } from './path.ts'
import type { Part } from './tree/entry.ts'

interface PutInput {
  agentId: string
  path: string
  content: Uint8Array
  conditions: Conditions
}

export interface PutFile {
  path: string
  size: number
  modified: string
  tag: string
}

/**
 * Writes a file of a caller's agent, with the missing folders above it.
 * @throws PlatformError 409 if a folder is in the way, 412 if a condition fails; as changeFiles
 */
export async function putFile(
  ctx: FilesContext & Pick<UserContext, 'owner'>,
  { agentId, path, content, conditions }: PutInput,
): Promise<PutFile> {
  const { table, owner, packs } = ctx
  const agent = await requireAgent({ table }, { agentId, owner })
  const names = treePath(namesIn(path))
  const size = content.length
  const tag = tagOf(content)
  // Stored once, even if another writer is first and the change is repeated.
  const stored = once(() => storeContent(packs, agentId, content))
  const sync = { agent, names }
  return changeFiles(ctx, { userId: owner, agentId, sync }, async ({ tree, requireRoom }) => {
    const before = await tree.find(names)
    const replaced = before === 'folder' ? undefined : before
    requireConditions(conditions, replaced?.tag)
    await requireWritablePath(tree, names)
    await requireRoom(size - (replaced?.size ?? 0))
    const mtime = Date.now()
    const parts = await stored()
    const mode = replaced?.mode === undefined ? {} : { mode: replaced.mode }
    await tree.put(names, { ...mode, mtime, size, tag, parts })
    return { path, size, modified: isoOf(mtime), tag }
  })
}

async function storeContent(
  packs: FilesContext['packs'],
  agentId: string,
  content: Uint8Array,
): Promise<Part[]> {
  if (content.length === 0) return []
  const pack = newPack()
  const part = pack.add(content)
  await pack.store(packs, agentId)
  return [part]
}
