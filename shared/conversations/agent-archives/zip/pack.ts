import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

/** The files of an archive, by path. */
export type Files = ReadonlyMap<string, string>

/** The oldest time that a ZIP can store, so that the same files always give the same bytes. */
const mtime = new Date(1980, 0, 1)

/** Readable by every user, writable by the owner. */
const mode = 0o100644

/** Returns texts as a ZIP, in UTF-8 and deflated. */
export async function pack(files: Files): Promise<Buffer<ArrayBuffer>> {
  const zip = new ZipFile()
  for (const [path, text] of files)
    zip.addBuffer(Buffer.from(text), path, { mtime, mode, forceDosTimestamp: true })
  zip.end()
  return (await buffer(zip.outputStream)) as Buffer<ArrayBuffer>
}
