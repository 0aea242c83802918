import { createHash } from 'node:crypto'
import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** One source file as it was when a bundle was made from it. */
interface Source {
  mtimeMs: number
  size: number
  hash: string
}

/** What the bundles of the last build were made from. */
export interface BuildRecord {
  /** Anything beside the sources that bundles depend on; another key means that nothing can be reused. */
  key: string
  sources: Record<string, Source>
  /** The sources of each bundle, by its function's name. */
  bundles: Record<string, string[]>
}

/** The record's file, beside the bundles. */
export const recordName = '.build.json'

/** The record of the last build, or an empty one where there is none that fits. */
export async function readRecord(dir: string, key: string): Promise<BuildRecord> {
  const empty: BuildRecord = { key, sources: {}, bundles: {} }
  const text = await readFile(join(dir, recordName), 'utf8').catch(() => '')
  if (text === '') return empty
  const record = JSON.parse(text) as BuildRecord
  return record.key === key ? record : empty
}

export async function writeRecord(dir: string, record: BuildRecord): Promise<void> {
  const temporary = join(dir, `${recordName}.${process.pid}`)
  await writeFile(temporary, JSON.stringify(record))
  await rename(temporary, join(dir, recordName))
}

/** The sources that are not what the record says. A touched file whose content is the same is not among them. */
export async function changedSources(root: string, record: BuildRecord): Promise<Set<string>> {
  const changed = new Set<string>()
  await Promise.all(
    Object.entries(record.sources).map(async ([path, known]) => {
      const now = await stat(join(root, path)).catch(() => undefined)
      if (now?.mtimeMs === known.mtimeMs && now.size === known.size) return
      if (now === undefined || (await hashFile(join(root, path))) !== known.hash) changed.add(path)
    }),
  )
  return changed
}

export async function describeSource(root: string, path: string): Promise<Source> {
  const { mtimeMs, size } = await stat(join(root, path))
  return { mtimeMs, size, hash: await hashFile(join(root, path)) }
}

async function hashFile(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex')
}
