import type { Can } from '#shared/platform/identity/capabilities.ts'
import { expectPacks } from './collection/expect-packs.ts'
import { inWorkspace, noFile } from './faults.ts'
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
  ctx: ReadsFiles & Can<'links'>,
  { agentId, path }: { agentId: string; path: string },
): Promise<ReadFile> {
  const names = inWorkspace(namesIn(path))
  const { tree, reader, collectAt } = await openStored(ctx, agentId, names)
  const file = await tree.find(names)
  if (file === undefined || file === 'folder') throw noFile()
  return {
    size: file.size,
    tag: file.tag,
    read: (from, length) => reader.readFile(file.parts, from, length),
    async link() {
      const { packs, table, owner: userId } = ctx
      const expect = () => expectPacks({ table }, { userId, agentId, collectAt })
      const key = await wholeObject({ packs, expect }, agentId, file)
      const contentType = 'application/octet-stream'
      const fileName = file.name
      return ctx.links.to(key, { seconds: linkSeconds, fileName, contentType })
    },
  }
}

/**
 * Returns the key of an object that contains exactly this file: its pack, if a link was used to upload it; otherwise the
 * object is composed of its parts, and removed by a collection an hour later.
 * @param ctx.expect requests that collection
 */
async function wholeObject(
  { packs, expect }: Can<'packs'> & { expect(): Promise<void> },
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
  await expect()
  await packs.compose(key, pieces)
  return key
}

/** The folder of composed objects, below the agent's packs. */
export const composedFolder = 'composed/'
