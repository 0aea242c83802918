import { openAsBlob } from 'node:fs'
import { lstat, mkdir, readdir, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError, exitCodes } from '../failure.ts'
import { downloadTo } from './download.ts'
import { listRemote } from './remote.ts'
import { type Target, upload } from './transfer.ts'

/** A folder of an agent, and one of this computer. */
interface Sides extends Target {
  folder: string
}

interface Options {
  /** Deletes at the target what the source does not have. */
  deletes: boolean
  onStep(what: 'copy' | 'delete', path: string): void
}

export interface SyncDone {
  copied: number
  deleted: number
}

interface Side {
  isFolder: boolean
  size: number | null
  /** Epoch milliseconds. */
  modified: number
}

/** Copies files that are missing at the agent, have another size, or are older there. Links are left out. */
export async function syncUp(sides: Sides, options: Options): Promise<SyncDone> {
  const done = { copied: 0, deleted: 0 }
  const { platform, id, signal } = sides
  const [source, target] = [await localSide(sides.folder), await remoteSide(sides)]
  if (source === undefined) throw new CommandError(exitCodes.usage, `No folder ${sides.folder}`)
  for (const [name, there] of target)
    if (options.deletes && source.get(name)?.isFolder !== there.isFolder) {
      const path = below(sides.path, name)
      options.onStep('delete', path)
      await platform.agents.files.delete(id, path, { recursive: true, signal })
      target.delete(name)
      done.deleted++
    }
  for (const [name, here] of source) {
    const path = below(sides.path, name)
    const file = join(sides.folder, name)
    if (here.isFolder) add(done, await syncUp({ ...sides, path, folder: file }, options))
    else if (isNewer(here, target.get(name))) {
      options.onStep('copy', path)
      await upload({ ...sides, path }, await openAsBlob(file))
      done.copied++
    }
  }
  return done
}

/** Copies files that are missing on this computer, have another size, or are older there. */
export async function syncDown(sides: Sides, options: Options): Promise<SyncDone> {
  const done = { copied: 0, deleted: 0 }
  const { platform, id, folder, signal } = sides
  const source = await remoteSide(sides)
  await mkdir(folder, { recursive: true })
  // A link could lead to any other folder of this computer.
  if (!(await lstat(folder)).isDirectory())
    throw new CommandError(exitCodes.failed, `${folder} is a link, not a folder`)
  const target = (await localSide(folder)) ?? new Map<string, Side>()
  for (const [name, there] of target)
    if (options.deletes && source.get(name)?.isFolder !== there.isFolder) {
      options.onStep('delete', join(folder, name))
      await rm(join(folder, name), { recursive: true, force: true })
      target.delete(name)
      done.deleted++
    }
  for (const [name, here] of source) {
    const path = below(sides.path, name)
    const file = join(folder, name)
    if (here.isFolder) add(done, await syncDown({ ...sides, path, folder: file }, options))
    else if (isNewer(here, target.get(name))) {
      options.onStep('copy', file)
      await downloadTo(await platform.agents.files.get(id, path, { signal }), file)
      await utimes(file, new Date(), new Date(here.modified))
      done.copied++
    }
  }
  return done
}

function isNewer(source: Side, target: Side | undefined): boolean {
  return target === undefined || source.size !== target.size || source.modified > target.modified
}

function add(done: SyncDone, more: SyncDone): void {
  done.copied += more.copied
  done.deleted += more.deleted
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`
}

/** Returns the entries of a folder of the agent; none if it does not exist. */
async function remoteSide({ platform, id, path, signal }: Sides): Promise<Map<string, Side>> {
  const entries = await listRemote(platform, id, path, signal).catch((error: unknown) => {
    if ((error as { status?: number }).status === 404) return []
    throw error
  })
  return new Map(
    entries.map(({ name, type, size, modified }) => {
      if (/^\.{1,2}$|[/\\\0]/.test(name))
        throw new CommandError(
          exitCodes.failed,
          `${path} contains a file name that is not valid on this computer`,
        )
      return [name, { isFolder: type === 'folder', size, modified: Date.parse(modified) }]
    }),
  )
}

/** Returns the files and folders of a folder, without links; undefined if it does not exist. */
async function localSide(folder: string): Promise<Map<string, Side> | undefined> {
  const names = await readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  })
  if (names === undefined) return undefined
  const sides = new Map<string, Side>()
  for (const name of names) {
    const found = await lstat(join(folder, name))
    if (found.isFile() || found.isDirectory())
      sides.set(name, {
        isFolder: found.isDirectory(),
        size: found.isFile() ? found.size : null,
        modified: found.mtimeMs,
      })
  }
  return sides
}
