import { readdir, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

/** The maximum number of objects of a page: S3's own. */
const pageSize = 1000

/**
 * Returns the XML of a page of ListObjectsV2. The continuation token is the last key of the previous page.
 * @param folder the folder of complete objects
 */
export async function listPage(folder: string, query: URLSearchParams): Promise<string> {
  const prefix = query.get('prefix') ?? ''
  const after = query.get('continuation-token') ?? ''
  const all = (await keysBelow(folder, prefix)).filter((key) => key > after)
  const keys = all.slice(0, pageSize)
  const contents = await Promise.all(keys.map((key) => described(folder, key)))
  const isTruncated = all.length > keys.length
  return [
    '<ListBucketResult>',
    `<IsTruncated>${isTruncated}</IsTruncated>`,
    isTruncated ? `<NextContinuationToken>${keys.at(-1)}</NextContinuationToken>` : '',
    ...contents,
    '</ListBucketResult>',
  ].join('')
}

/** Returns the keys with a prefix in order. Keys contain no character that XML escapes. */
async function keysBelow(folder: string, prefix: string): Promise<string[]> {
  const top = join(folder, dirname(`${prefix}x`))
  const entries = await readdir(top, { recursive: true, withFileTypes: true }).catch(
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      return []
    },
  )
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((key) => key.startsWith(prefix))
    .sort()
}

/** @returns nothing for an object that was deleted in the meantime */
async function described(folder: string, key: string): Promise<string> {
  try {
    const { size, mtime } = await stat(join(folder, key))
    const at = `<LastModified>${mtime.toISOString()}</LastModified>`
    return `<Contents><Key>${key}</Key>${at}<Size>${size}</Size></Contents>`
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return ''
  }
}
