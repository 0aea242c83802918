import { rm } from 'node:fs/promises'
import { join } from 'node:path'

/** The only bucket on this machine; the default of OBJECTS_BUCKET. */
export const bucket = 'objects'

/** Returns the folders of complete objects and of the parts of unfinished uploads. */
export function foldersIn(dir: string) {
  return { whole: join(dir, 'whole'), parts: join(dir, 'parts') }
}

/** Returns the object key in a path; undefined if the platform does not use keys of this form. */
export function keyIn(pathname: string): string | undefined {
  const key = pathname.startsWith(`/${bucket}/`) ? pathname.slice(bucket.length + 2) : ''
  const segments = key.split('/')
  const named = segments.every((one) => /^[\w-][\w.-]*$/.test(one))
  return named ? key : undefined
}

/** Removes the parts of unfinished uploads. Their uploaders ended with the last run of the engine. */
export async function removeParts(dir: string): Promise<void> {
  await rm(foldersIn(dir).parts, { recursive: true, force: true })
}
