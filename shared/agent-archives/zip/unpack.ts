import { isUtf8 } from 'node:buffer'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { type Entry, fromBufferPromise, validateFileName, type ZipFile } from 'yauzl'
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
  // Finder adds an entry of its own for each file.
  if (zip.entryCount > 2 * bounds.entries + 2) throw tooMany(bounds)
  const entries = await filesOf(zip, bounds)
  const files = new Map<string, Buffer<ArrayBufferLike>>()
  for (const { entry, path } of entries) files.set(path, await contentOf(zip, entry))
  return files
}

function tooMany({ entries }: Bounds): PlatformError {
  return refused(`it has more than ${entries} files and folders`)
}

/** Names that are absolute or lead upwards are refused there as well. */
function open(bytes: Uint8Array): Promise<ZipFile> {
  const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return readable(fromBufferPromise(given, { lazyEntries: true }))
}

/** An entry by the path that it is meant to have. */
interface Placed {
  entry: Entry
  path: string
}

async function filesOf(zip: ZipFile, bounds: Bounds): Promise<Placed[]> {
  const { bytes, takes } = bounds
  const placed = (await readable(entriesOf(zip)))
    .map((entry) => ({ entry, path: pathOf(entry) }))
    .filter(({ path }) => !isLitter(path))
  if (placed.length > bounds.entries) throw tooMany(bounds)
  const all = withoutTopFolder(placed, takes)
  const seen = new Set<string>()
  let total = 0
  for (const { entry, path } of all) {
    const { uncompressedSize } = entry
    // File systems that ignore case would take them for one file.
    const name = path.toLowerCase()
    if (seen.has(name)) throw refused(`${shown(path)} is there twice`)
    seen.add(name)
    requirePlain(entry)
    total += uncompressedSize
    if (!isFolder(path) && !takes(path)) throw refused(`${shown(path)} is no file of an agent`)
    if (isFolder(path) && uncompressedSize > 0)
      throw refused(`${shown(path)} is a folder with content`)
  }
  if (total > bytes)
    throw new PlatformError(
      'payload-too-large',
      `The archive is larger than ${bytes / 1_048_576} MB when it is unpacked`,
    )
  return all.filter(({ path }) => !isFolder(path))
}

const dosSystem = 0
const utf8Flag = 0x800
/** The extra field of Info-ZIP that has a name in UTF-8. */
const unicodePath = 0x7075

/**
 * The path of an entry. Finder writes UTF-8 without saying so, in decomposed form; programs of Windows may part folders by
 * backslashes, which its names cannot have otherwise.
 */
function pathOf(entry: Entry): string {
  const { fileName, fileNameRaw, generalPurposeBitFlag, versionMadeBy } = entry
  const isTold = entry.extraFields.some(({ id }) => id === unicodePath)
  const isUntold = (generalPurposeBitFlag & utf8Flag) === 0 && !isTold
  const named = isUntold && isUtf8(fileNameRaw) ? fileNameRaw.toString() : fileName
  const isDos = versionMadeBy >>> 8 === dosSystem
  if (!isDos && fileNameRaw.includes('\\')) throw refused(`${shown(named)} has a backslash`)
  const path = named.replaceAll('\\', '/').normalize('NFC')
  const wrong = validateFileName(path)
  if (wrong !== null) throw refused(wrong)
  return path
}

const litter = new Set(['.ds_store', 'desktop.ini', 'thumbs.db'])
const litterFolders = new Set(['.fseventsd', '.spotlight-v100', '.trashes', '__macosx'])

/** True for a file that Finder or Windows adds to an archive. */
function isLitter(path: string): boolean {
  const names = path.toLowerCase().split('/').filter(Boolean)
  const name = names.at(-1) ?? ''
  return (
    names.some((each) => litterFolders.has(each)) ||
    (!isFolder(path) && (litter.has(name) || name.startsWith('._')))
  )
}

/** Removes the folder that contains all files of the archive. */
function withoutTopFolder(all: readonly Placed[], takes: Bounds['takes']): readonly Placed[] {
  const [top = ''] = all[0]?.path.split('/', 1) ?? []
  const isWithin = all.every(({ path }) => path.startsWith(`${top}/`))
  const isTaken = all.some(({ path }) => !isFolder(path) && takes(path))
  if (!isWithin || isTaken) return all
  return all
    .map(({ entry, path }) => ({ entry, path: path.slice(top.length + 1) }))
    .filter(({ path }) => path !== '')
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

function isFolder(path: string): boolean {
  return path.endsWith('/')
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
