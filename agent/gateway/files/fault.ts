import { Problem } from '../http/problem.ts'

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'is not in a folder: a part of the path is a file or a link',
  ELOOP: 'is a link, and links are not followed',
  EISDIR: 'is a folder',
  EEXIST: 'already exists',
  EACCES: 'must not be read or written by the agent',
  EPERM: 'must not be read or written by the agent',
  ENOSPC: 'cannot be written: the disk is full',
  EDQUOT: 'cannot be written: the disk is full',
  ENXIO: 'is not a regular file',
}

/** Executes work on a path. @throws Problem that says why the file system refused it */
export async function namingFaults<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === undefined || syscall === undefined) throw error
    const shown = path === '' ? 'The workspace' : `“${path}”`
    const reason = reasons[code] ?? `cannot be used (${code})`
    throw new Problem(400, 'file_fault', `${shown} ${reason}`, { cause: error })
  }
}
