import { PlatformError } from '#shared/platform/errors.ts'
import { byBytes } from '#shared/platform/folder/names.ts'
import { isoOf } from '#shared/platform/times.ts'
import { treePath, fileNotFound } from './faults.ts'
import { namesIn } from './path.ts'
import { openStored, type ReadsFiles } from './stored.ts'

interface ListInput {
  agentId: string
  /** An empty path is the workspace. */
  path: string
  limit: number
  cursor?: string | undefined
}

export interface ListedEntry {
  name: string
  path: string
  type: 'file' | 'folder'
  size: number | null
  modified: string
}

/**
 * Lists a folder, sorted by the bytes of the names. The cursor is the last name of the page before, so a page does not
 * depend on changes between the requests.
 * @throws PlatformError 404 for a missing folder, 400 for a cursor that no page returned
 */
export async function listFiles(
  ctx: ReadsFiles,
  { agentId, path, limit, cursor }: ListInput,
): Promise<{ entries: ListedEntry[]; cursor: string | null }> {
  const after = cursor === undefined ? undefined : nameFrom(cursor)
  const names = treePath(namesIn(path))
  const { tree } = await openStored(ctx, agentId, names)
  const listed = await tree.list(names)
  if (listed === undefined && path !== '') throw fileNotFound()
  const rest = (listed ?? []).filter(
    ({ name, type }) =>
      type !== 'link' && name.isWellFormed() && (after === undefined || byBytes(name, after) > 0),
  )
  const page = rest.slice(0, limit)
  const last = rest.length > page.length ? page.at(-1) : undefined
  return {
    entries: page.map((entry) => ({
      name: entry.name,
      path: path === '' ? entry.name : `${path}/${entry.name}`,
      type: entry.type === 'file' ? 'file' : 'folder',
      size: entry.type === 'file' ? entry.size : null,
      modified: isoOf(entry.mtime),
    })),
    cursor: last === undefined ? null : Buffer.from(last.name).toString('base64url'),
  }
}

/** @throws PlatformError 400 */
function nameFrom(cursor: string): string {
  const bytes = Buffer.from(cursor, 'base64url')
  const name = bytes.toString()
  const isName = name !== '' && Buffer.from(name).equals(bytes) && !/[/\0]/.test(name)
  if (!isName || bytes.toString('base64url') !== cursor)
    throw new PlatformError('bad-request', 'cursor must be the cursor of the previous page')
  return name
}
