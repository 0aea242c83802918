import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../engine.ts'
import { hasLive } from '../tasks/store.ts'

const volumesDir = ({ dir }: Engine) => join(dir, 'volumes')

/** Returns the `startedBy` values that have a volume. */
export async function listVolumes(engine: Engine): Promise<string[]> {
  return readdir(volumesDir(engine)).catch((error: NodeJS.ErrnoException) => {
    // The folder is created by the first task.
    if (error.code === 'ENOENT') return []
    throw error
  })
}

/**
 * Removes the volume of a `startedBy` value, unless one of its tasks lives.
 * @returns whether the volume is gone
 */
export async function removeVolume(engine: Engine, startedBy: string): Promise<boolean> {
  if (hasLive(engine.store, startedBy)) return false
  await rm(join(volumesDir(engine), startedBy), { recursive: true, force: true })
  return true
}
