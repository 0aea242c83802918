import { afterAll, beforeEach } from 'vitest'
import { archiveScenes } from './archive-scenes.ts'
import { fileScenes } from './file-scenes.ts'
import { startRestorePoints } from './restore-points.ts'
import { restoreScenes } from './restore-scenes.ts'

/**
 * Provides a world of restore points and archives for a file of tests. Before each test, `ada` becomes a new user: the
 * object stays the same, with the new user's id and session.
 * @param plan the plan of each user
 */
export async function restoreWorld(plan?: string) {
  const world = await startRestorePoints()
  afterAll(() => world.close())
  const ada = { id: '', session: '' }
  const beAda = async (name: string, of = plan) =>
    Object.assign(ada, await world.newUser(`${name}@b.co`, of))
  let users = 0
  beforeEach(async () => {
    world.fleet.forget()
    await beAda(`ada-${++users}`)
  })
  const user = () => ada
  return {
    world,
    scenes: restoreScenes(world, user),
    archives: archiveScenes(world, user),
    files: fileScenes(world, user),
    ada,
    /** Makes `ada` another user for the rest of a test. */
    beAda,
  }
}
