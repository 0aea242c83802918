import { rm } from 'node:fs/promises'
import { join } from 'node:path'

/** The one bucket of this machine, as OBJECTS_BUCKET is by default. */
export const bucket = 'objects'

/** Where the engine keeps what: whole objects, and the parts of those that are not whole yet. */
export function foldersIn(dir: string) {
  return { whole: join(dir, 'whole'), parts: join(dir, 'parts') }
}

/** The key of an object that a path names; undefined for one of no form that the platform uses. */
export function keyIn(pathname: string): string | undefined {
  const key = pathname.startsWith(`/${bucket}/`) ? pathname.slice(bucket.length + 2) : ''
  const segments = key.split('/')
  const named = segments.every((one) => /^[\w-][\w.-]*$/.test(one))
  return named ? key : undefined
}

/** Ends what is no object and will not become one: the process that sent it lived no longer than the engine. */
export async function removeParts(dir: string): Promise<void> {
  await rm(foldersIn(dir).parts, { recursive: true, force: true })
}
