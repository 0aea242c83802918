import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { notConfigured } from '../platform/errors.ts'

export interface ExplorerContext {
  /** The directory that is explored: WORKSPACE_ROOT. */
  root: string | undefined
  deployed: boolean
}

/** @throws PlatformError 503 where nothing says what is explored */
export async function requireRoot({ root, deployed }: ExplorerContext): Promise<string> {
  if (root === undefined) throw notConfigured('The file explorer', ['WORKSPACE_ROOT'])
  const path = resolve(root)
  // Deployed, it is a file system that is mounted: a directory made in its place would be gone with the instance.
  if (!deployed) await mkdir(path, { recursive: true })
  return path
}
