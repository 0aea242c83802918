import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'

/** The files of an archive, by path. */
export type Files = ReadonlyMap<string, string>

/** A file of any size, or an empty folder. */
export interface LargeFile {
  path: string
  mode: number | undefined
  /** Epoch milliseconds. */
  mtime: number
  /** Undefined for a folder. */
  content?: { size: number; read(): AsyncIterable<Uint8Array> }
}

/** The oldest time that a ZIP can store, so that the same files always give the same bytes. */
const oldest = new Date(1980, 0, 1)

const file = 0o100000
const folder = 0o040000

/** Returns texts as a ZIP, in UTF-8 and deflated. */
export async function pack(files: Files, large?: AsyncIterable<LargeFile>) {
  return (await buffer(packStream(files, large))) as Buffer<ArrayBuffer>
}

/**
 * Returns the bytes of a ZIP with texts, and after them files of any size. One piece of a file is in memory at a time.
 * Archives that need it have the form ZIP64.
 */
export function packStream(files: Files, large?: AsyncIterable<LargeFile>): Readable {
  const zip = new ZipFile()
  const out = new PassThrough()
  const fail = (error: unknown) => void out.destroy(error as Error)
  zip.on('error', fail)
  for (const [path, text] of files)
    zip.addBuffer(Buffer.from(text), path, {
      mtime: oldest,
      // Readable by every user, writable by the owner.
      mode: file | 0o644,
      forceDosTimestamp: true,
    })
  void addAll(zip, large).then(() => zip.end(), fail)
  void pipeline(zip.outputStream, out).catch(fail)
  return out
}

async function addAll(zip: ZipFile, large: AsyncIterable<LargeFile> | undefined): Promise<void> {
  for await (const { path, mode, mtime, content } of large ?? []) {
    const time = new Date(Math.max(mtime, oldest.getTime()))
    if (content === undefined)
      zip.addEmptyDirectory(path, { mtime: time, mode: folder | (mode ?? 0o755) })
    else
      zip.addReadStreamLazy(
        path,
        // The fastest level: most large files are compressed already.
        { mtime: time, mode: file | (mode ?? 0o644), size: content.size, compressionLevel: 1 },
        (done) => done(null, Readable.from(content.read())),
      )
  }
}
