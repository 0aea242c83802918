import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { Tree } from './tree/tree.ts'

/** Returns the error 409 for a path that another file or folder blocks. */
export function pathBlocked(message: string): PlatformError {
  return new PlatformError('conflict', message)
}

/** Returns the error 404 for a path without a file or folder. */
export function fileNotFound(): PlatformError {
  return notFound('File')
}

/**
 * The folder of the tree that routes can reach. The container's other state is in its sibling folders: contract.md 16,
 * Root.
 */
const shown = 'workspace'

/** Converts a path in the workspace, as routes use it, to a path in the agent's tree. */
export function treePath(names: readonly string[]): string[] {
  return [shown, ...names]
}

/** @throws PlatformError 409 if a file cannot be written at a path: the path is a folder, or a part of it is a file */
export async function requireWritablePath(tree: Tree, names: readonly string[]): Promise<void> {
  for (let i = 1; i < names.length; i++) {
    const kind = await tree.kind(names.slice(0, i))
    if (kind === undefined) return
    if (kind !== 'folder')
      throw pathBlocked('A file is in the way: a part of the path is not a folder')
  }
  if ((await tree.kind(names)) === 'folder') throw pathBlocked('The path is a folder')
}
