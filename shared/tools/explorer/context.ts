import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { notConfigured } from '#shared/platform/errors.ts'

export interface Explored {
  /** The explored directory, from WORKSPACE_ROOT. */
  root: string | undefined
  deployed: boolean
}

/**
 * Returns the explored directory. Creates it on one machine.
 * @throws PlatformError 503 without WORKSPACE_ROOT
 */
export async function requireRoot({ root, deployed }: Explored): Promise<string> {
  if (root === undefined) throw notConfigured('The file explorer', ['WORKSPACE_ROOT'])
  const path = resolve(root)
  // When deployed, the directory is a mounted file system; a directory that is created instead would be lost with the
  // instance.
  if (!deployed) await mkdir(path, { recursive: true })
  return path
}
