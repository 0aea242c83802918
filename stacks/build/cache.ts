import { createHash } from 'node:crypto'
import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A source file as it was when a bundle was built from it. */
interface Source {
  mtimeMs: number
  size: number
  hash: string
}

/** The inputs of the last build's bundles. */
export interface BuildRecord {
  /** A hash of everything besides the sources. With another key, nothing can be reused. */
  key: string
  sources: Record<string, Source>
  /** The sources of each bundle by function name. */
  bundles: Record<string, string[]>
}

/** The name of the record's file, beside the bundles. */
const recordName = '.build.json'

/** Returns the record of the last build; an empty one if it is missing or has another key. */
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

/** Returns the sources that differ from the record. A touched file with the same content does not count. */
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
