import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../engine.ts'
import { hasLive } from '../tasks/store.ts'

const volumesDir = ({ dir }: Engine) => join(dir, 'volumes')

/** Who has a volume: what tasks were started by. */
export async function listVolumes(engine: Engine): Promise<string[]> {
  return readdir(volumesDir(engine)).catch((error: NodeJS.ErrnoException) => {
    // No task has run yet.
    if (error.code === 'ENOENT') return []
    throw error
  })
}

/**
 * Removes the volume of one starter of tasks, with all that is in it; not while one of them lives.
 * @returns whether it is gone
 */
export async function removeVolume(engine: Engine, startedBy: string): Promise<boolean> {
  if (hasLive(engine.store, startedBy)) return false
  await rm(join(volumesDir(engine), startedBy), { recursive: true, force: true })
  return true
}
