import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { Tree } from './tree/tree.ts'

/** Returns the error 409 for a path where a folder, or something other than a folder, is in the way. */
export function inTheWay(message: string): PlatformError {
  return new PlatformError('conflict', message)
}

/** Returns the error 404 for a path without a file or folder. */
export function noFile(): PlatformError {
  return notFound('File')
}

/** The folder of the tree that routes show. The container's other state is beside it: contract.md 16, Root. */
const shown = 'workspace'

/** Returns the names in the tree of names in the workspace. */
export function inWorkspace(names: readonly string[]): string[] {
  return [shown, ...names]
}

/** @throws PlatformError 409 if a file cannot be written at a path, because of what is there or above it */
export async function requireFilePlace(tree: Tree, names: readonly string[]): Promise<void> {
  for (let i = 1; i < names.length; i++) {
    const kind = await tree.kind(names.slice(0, i))
    if (kind === undefined) return
    if (kind !== 'folder')
      throw inTheWay('A file is in the way: a part of the path is not a folder')
  }
  if ((await tree.kind(names)) === 'folder') throw inTheWay('The path is a folder')
}
