import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { PlatformError } from '../../platform/errors.ts'

export interface Bounds {
  /** How many bytes all files together may have. */
  bytes: number
  /** How many files and folders there may be. */
  entries: number
  /** Whether a file of that path is looked for; any other is refused. */
  takes(path: string): boolean
}

const unixSystem = 3
const fileTypes = 0o170000
const regularFile = 0o100000
const folder = 0o040000

/**
 * Reads the files of a zip, none larger than it says and all within bounds: what they say together is looked at before
 * any is unpacked, and unpacking ends where one is longer.
 * @returns their bytes by their paths
 * @throws PlatformError 413 beyond the bytes, 400 for what is no such zip
 */
export async function unpack(
  bytes: Uint8Array,
  bounds: Bounds,
): Promise<Map<string, Buffer<ArrayBufferLike>>> {
  const zip = await open(bytes)
  if (zip.entryCount > bounds.entries)
    throw refused(`it has more than ${bounds.entries} files and folders`)
  const entries = await filesOf(zip, bounds)
  const files = new Map<string, Buffer<ArrayBufferLike>>()
  for (const entry of entries) files.set(entry.fileName, await contentOf(zip, entry))
  return files
}

/** `strictFileNames`: a backslash is no slash. Names that are absolute or lead upwards are refused there as well. */
function open(bytes: Uint8Array): Promise<ZipFile> {
  const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return readable(fromBufferPromise(given, { lazyEntries: true, strictFileNames: true }))
}

async function filesOf(zip: ZipFile, { bytes, takes }: Bounds): Promise<Entry[]> {
  const all = await readable(entriesOf(zip))
  const seen = new Set<string>()
  let total = 0
  for (const entry of all) {
    const { fileName, uncompressedSize } = entry
    // File systems that ignore case would take them for one file.
    const name = fileName.toLowerCase()
    if (seen.has(name)) throw refused(`${shown(fileName)} is there twice`)
    seen.add(name)
    requirePlain(entry)
    total += uncompressedSize
    if (!isFolder(entry) && !takes(fileName))
      throw refused(`${shown(fileName)} is no file of an agent`)
    if (isFolder(entry) && uncompressedSize > 0)
      throw refused(`${shown(fileName)} is a folder with content`)
  }
  if (total > bytes)
    throw new PlatformError(
      'payload-too-large',
      `The archive is larger than ${bytes / 1_048_576} MB when it is unpacked`,
    )
  return all.filter((entry) => !isFolder(entry))
}

async function entriesOf(zip: ZipFile): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const entry of zip.eachEntry()) entries.push(entry)
  return entries
}

/** A file or folder in the open, deflated or as it is. */
function requirePlain(entry: Entry): void {
  const name = shown(entry.fileName)
  if (entry.isEncrypted()) throw refused(`${name} is encrypted`)
  if (!entry.canDecodeFileData()) throw refused(`${name} is compressed in a way that is not known`)
  const type = (entry.externalFileAttributes >>> 16) & fileTypes
  const isUnix = entry.versionMadeBy >>> 8 === unixSystem
  if (isUnix && type !== 0 && type !== regularFile && type !== folder)
    throw refused(`${name} is neither a file nor a folder`)
}

function isFolder({ fileName }: Entry): boolean {
  return fileName.endsWith('/')
}

async function contentOf(zip: ZipFile, entry: Entry): Promise<Buffer<ArrayBufferLike>> {
  const content = await readable(zip.openReadStreamPromise(entry).then((stream) => buffer(stream)))
  // The library holds the size to what is said of it, and leaves the checksum to its callers.
  if (crc32(content) !== entry.crc32) throw refused(`${shown(entry.fileName)} is damaged`)
  return content
}

/** The library throws nothing but what is wrong with the zip. */
function readable<T>(read: Promise<T>): Promise<T> {
  return read.catch((cause: unknown) => {
    throw refused(cause instanceof Error ? cause.message : 'it cannot be read', cause)
  })
}

/** A name may be long, and no text for people. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100))
}

function refused(why: string, cause?: unknown): PlatformError {
  return new PlatformError('bad-request', `The body is no zip of an agent: ${why}`, { cause })
}
