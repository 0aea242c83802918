import { join } from 'node:path'
import { buildProgram } from '#stacks/build/programs.ts'

const root = join(import.meta.dirname, '../../..')
const built = new Map<string, Promise<string>>()

/**
 * Returns the file to start a program with. The first time, it is the source, as operators start it. Later, it is a bundle
 * of the same sources, which takes less CPU time to start.
 * @param entry the path in the repository
 */
export async function startFile(entry: string): Promise<string> {
  const bundle = built.get(entry)
  if (bundle !== undefined) return bundle
  const name = entry.replaceAll('/', '-').replace(/\.ts$/, '')
  built.set(entry, buildProgram(root, { name, entry }))
  return join(root, entry)
}
