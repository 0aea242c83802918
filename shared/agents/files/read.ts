import { findUser } from '#shared/accounts/users/user.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { PartialObjects } from '#shared/platform/objects/port.ts'
import { plausibleBytes, quotaOf } from '../storage/quota.ts'
import { expectPacks } from './collection/expect-packs.ts'
import { treePath, fileNotFound } from './faults.ts'
import { packKey, packsPrefix } from './packs.ts'
import { namesIn } from './path.ts'
import { openStored, type ReadsFiles } from './stored.ts'
import type { FileEntry } from './tree/entry.ts'

/** The validity of a link to a file, in seconds. A link stays valid until then if the file is deleted. */
const linkSeconds = 300

/** The maximum size of a file that is returned itself, and of a file that is written itself: contract.md 16. */
export const directBytes = 4 * 1024 * 1024

export interface ReadFile {
  size: number
  tag: string
  /** Reads `length` bytes from an offset, for a file of at most `directBytes`. */
  read(from: number, length: number): Promise<Buffer>
  /** Returns a link to the whole file. */
  link(): Promise<string>
}

/** Opens a file of a caller's agent. @throws PlatformError 404 */
export async function readFile(
  ctx: ReadsFiles & Can<'adminEmails' | 'links'>,
  { agentId, path }: { agentId: string; path: string },
): Promise<ReadFile> {
  const names = treePath(namesIn(path))
  const { tree, reader, collectAt } = await openStored(ctx, agentId, names)
  const file = await tree.find(names)
  if (file === undefined || file === 'folder') throw fileNotFound()
  return {
    size: file.size,
    tag: file.tag,
    read: (from, length) => reader.readFile(file.parts, from, length),
    async link() {
      const { packs, table, owner: userId } = ctx
      const prepare = async () => {
        const user = await findUser(table, userId)
        const quota = user === undefined ? 0 : quotaOf(user, ctx.adminEmails)
        await requireComposable(packs, { agentId, size: file.size, quota })
        await expectPacks({ table }, { userId, agentId, collectAt })
      }
      const key = await wholeObject({ packs, prepare }, agentId, file)
      const contentType = 'application/octet-stream'
      const fileName = file.name
      return ctx.links.to(key, { seconds: linkSeconds, fileName, contentType })
    },
  }
}

/**
 * Returns the key of an object that contains exactly this file: its pack, if a link was used to upload it; otherwise the
 * object is composed of its parts, and removed by a collection an hour later.
 * @param ctx.prepare called before an object is composed
 */
async function wholeObject(
  { packs, prepare }: Can<'packs'> & { prepare(): Promise<void> },
  agentId: string,
  { tag, size, parts }: FileEntry,
): Promise<string> {
  const [first] = parts
  if (parts.length === 1 && first !== undefined) {
    const key = packKey(agentId, first[0])
    if (first[1] === 0 && (await packs.sizeOf(key)) === size) return key
  }
  const key = `${packsPrefix(agentId)}${composedFolder}${tag}`
  if ((await packs.sizeOf(key)) === size) return key
  const pieces = parts.map(([pack, offset, length]) => ({
    key: packKey(agentId, pack),
    offset,
    length,
  }))
  await prepare()
  await packs.compose(key, pieces)
  return key
}

/**
 * Each composed object is stored until a collection.
 * @throws PlatformError 503 with Retry-After if too much is composed already
 */
async function requireComposable(
  packs: PartialObjects,
  { agentId, size, quota }: { agentId: string; size: number; quota: number },
): Promise<void> {
  let composed = size
  for await (const { bytes } of packs.list(`${packsPrefix(agentId)}${composedFolder}`))
    composed += bytes
  if (composed > plausibleBytes(quota))
    throw new PlatformError(
      'unavailable',
      'Too many large files of this agent were downloaded in the last two hours',
      { headers: { 'Retry-After': '600' } },
    )
}

/** The folder of composed objects, below the agent's packs. */
export const composedFolder = 'composed/'
