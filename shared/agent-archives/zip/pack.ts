import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

/** A file of an archive, by its path in it. */
export type Files = ReadonlyMap<string, string>

/** The oldest that a zip can say: the same files are the same bytes whenever they are packed. */
const mtime = new Date(1980, 0, 1)

/** What any user may read, and its owner change. */
const mode = 0o100644

/** Texts as a zip, in UTF-8 and deflated. */
export async function pack(files: Files): Promise<Buffer<ArrayBuffer>> {
  const zip = new ZipFile()
  for (const [path, text] of files)
    zip.addBuffer(Buffer.from(text), path, { mtime, mode, forceDosTimestamp: true })
  zip.end()
  return (await buffer(zip.outputStream)) as Buffer<ArrayBuffer>
}
