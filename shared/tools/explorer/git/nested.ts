import { posix } from 'node:path'
import { type Directory, descend, PathError } from '#shared/platform/folder/directory.ts'
import { readSmall } from './work-file.ts'

/**
 * Returns the commit that is checked out in a nested repository, or undefined if the folder is not a repository or has
 * no commit.
 * @param root the root of the outer repository, needed for a submodule: its `.git` is a file that points into that
 * repository
 * @param path the folder's path in the root
 */
export async function nestedHead(
  folder: Directory,
  root?: string,
  path?: string,
): Promise<string | undefined> {
  try {
    await using own = await openGit(folder, root, path)
    return own === undefined ? undefined : await resolve(own, 'HEAD', 0)
  } catch (error) {
    if (error instanceof PathError) return undefined
    throw error
  }
}

async function openGit(
  folder: Directory,
  root?: string,
  path?: string,
): Promise<Directory | undefined> {
  const text = await readSmall(folder, '.git')
  if (text === undefined) return folder.open('.git')
  const target = /^gitdir: (.+?)\s*$/.exec(text.toString())?.[1]
  if (target === undefined || root === undefined || path === undefined) return undefined
  const inside = posix.join(path, target)
  return posix.isAbsolute(target) || !inside.startsWith('.git/')
    ? undefined
    : descend(root, inside.split('/'))
}

async function resolve(git: Directory, ref: string, depth: number): Promise<string | undefined> {
  const text = (await readRef(git, ref)) ?? (await packed(git, ref)) ?? ''
  const next = /^ref: (refs\/\S+)/.exec(text)?.[1]
  if (next !== undefined && depth < 5 && !next.includes('..')) return resolve(git, next, depth + 1)
  return /^[0-9a-f]{40}/.exec(text)?.[0]
}

async function readRef(git: Directory, ref: string): Promise<string | undefined> {
  const [first = '', ...rest] = ref.split('/')
  if (rest.length === 0) return (await readSmall(git, first))?.toString()
  const below = await git.open(first).catch((error: unknown) => {
    if (!(error instanceof PathError)) throw error
  })
  if (below === undefined) return undefined
  await using opened = below
  return await readRef(opened, rest.join('/'))
}

async function packed(git: Directory, ref: string): Promise<string | undefined> {
  const lines = (await readSmall(git, 'packed-refs'))?.toString().split('\n') ?? []
  return lines.find((line) => line.slice(41) === ref)
}
