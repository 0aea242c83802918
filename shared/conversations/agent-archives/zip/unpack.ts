import { isUtf8 } from 'node:buffer'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import {
  type Entry,
  fromBufferPromise,
  fromRandomAccessReaderPromise,
  type RandomAccessReader,
  validateFileName,
  type ZipFile,
} from 'yauzl'
import { pathFault } from '#shared/agents/files/path.ts'
import { PlatformError } from '#shared/platform/errors.ts'

export interface Bounds {
  /** The maximum number of bytes of all files together. */
  bytes: number
  /** The maximum number of files and folders. */
  entries: number
  /** Reports whether a path is allowed; an archive with other paths is rejected. */
  takes(path: string): boolean
  /** The folder whose files are not unpacked immediately, and the limits of the archive with them. */
  large?: { folder: string; bytes: number; entries: number }
}

/** A file or folder below the folder of large files, which is unpacked on demand. */
export interface PackedFile {
  /** Relative to the folder. */
  path: string
  isFolder: boolean
  /** In bytes. */
  size: number
  /** Permission bits; undefined if the archive has none. */
  mode: number | undefined
  /** Epoch milliseconds. */
  mtime: number
  /** @throws PlatformError 400 for a damaged file */
  read(): AsyncIterable<Uint8Array>
}

export interface Unpacked {
  files: Map<string, Buffer<ArrayBufferLike>>
  large: PackedFile[]
}

const unixSystem = 3
const fileTypes = 0o170000
const regularFile = 0o100000
const folder = 0o040000
const permissions = 0o777
const localHeaderBytes = 30

/**
 * Unpacks a ZIP within limits. The declared sizes are checked before anything is unpacked, and unpacking stops if a
 * file is larger than declared.
 * @param source the bytes of the ZIP, or its size and a reader
 * @returns the files' bytes by path, and the large files in the order of their bytes
 * @throws PlatformError 413 if it is too large, 400 if it is invalid
 */
export async function unpack(
  source: Uint8Array | { reader: RandomAccessReader; size: number },
  bounds: Bounds,
): Promise<Unpacked> {
  const zip = await open(source)
  const most = bounds.large?.entries ?? bounds.entries
  // Finder adds an extra entry for each file.
  if (zip.entryCount > 2 * most + 2) throw tooMany(most)
  const entries = await filesOf(zip, bounds)
  const files = new Map<string, Buffer<ArrayBufferLike>>()
  const large: (PackedFile & { offset: number })[] = []
  for (const { entry, path } of entries) {
    const below = belowLarge(path, bounds)
    if (below === undefined && !isFolder(path))
      files.set(path, await readable(buffer(contentOf(zip, entry))))
    if (below !== undefined && below !== '') large.push(packedFile(zip, entry, below))
  }
  return { files, large: large.sort((one, other) => one.offset - other.offset) }
}

/** Returns the path relative to the folder of large files; undefined for a path elsewhere. */
function belowLarge(path: string, { large }: Bounds): string | undefined {
  return large !== undefined && path.startsWith(large.folder)
    ? path.slice(large.folder.length)
    : undefined
}

function packedFile(zip: ZipFile, entry: Entry, path: string): PackedFile & { offset: number } {
  const isUnix = entry.versionMadeBy >>> 8 === unixSystem
  return {
    path: path.replace(/\/$/, ''),
    isFolder: isFolder(path),
    size: entry.uncompressedSize,
    mode: isUnix ? (entry.externalFileAttributes >>> 16) & permissions : undefined,
    mtime: entry.getLastModDate().getTime(),
    offset: entry.relativeOffsetOfLocalHeader,
    read: () => contentOf(zip, entry),
  }
}

function tooMany(most: number): PlatformError {
  return refused(`it has more than ${most} files and folders`)
}

/** The library also rejects absolute names and names with `..`. */
function open(source: Uint8Array | { reader: RandomAccessReader; size: number }) {
  if ('reader' in source)
    return readable(
      fromRandomAccessReaderPromise(source.reader, source.size, {
        lazyEntries: true,
        autoClose: false,
      }),
    )
  const archive = Buffer.from(source.buffer, source.byteOffset, source.byteLength)
  return readable(fromBufferPromise(archive, { lazyEntries: true }))
}

/** An entry with its corrected path. */
interface Placed {
  entry: Entry
  path: string
}

async function filesOf(zip: ZipFile, bounds: Bounds): Promise<readonly Placed[]> {
  const { bytes, takes } = bounds
  const folderName = bounds.large?.folder
  const all = await readable(entriesOf(zip))
  const placed = all
    .map((entry) => ({ entry, path: pathOf(entry, folderName) }))
    .filter(({ path }) => isBelow(path, folderName) || !isLitter(path))
  const within = withoutTopFolder(placed, (path) => takes(path) || isBelow(path, folderName))
  const small = within.filter(({ path }) => belowLarge(path, bounds) === undefined)
  if (small.length > bounds.entries) throw tooMany(bounds.entries)
  if (within.length > (bounds.large?.entries ?? bounds.entries))
    throw tooMany(bounds.large?.entries ?? bounds.entries)
  const paths = new Set<string>()
  let [total, whole] = [0, 0]
  for (const { entry, path } of within) {
    const { uncompressedSize } = entry
    const isLarge = belowLarge(path, bounds) !== undefined
    // Paths that differ only in case are refused, because some file systems would merge them. Large files are never
    // stored on such a file system.
    const name = isLarge ? path.replace(/\/$/, '') : path.toLowerCase()
    if (paths.has(name)) throw refused(`${shown(path)} occurs twice`)
    paths.add(name)
    requirePlain(entry)
    if (!isLarge) total += uncompressedSize
    whole += uncompressedSize
    if (!isLarge && !isFolder(path) && !takes(path))
      throw refused(`${shown(path)} is not a file of an agent`)
    if (isFolder(path) && uncompressedSize > 0)
      throw refused(`${shown(path)} is a folder with content`)
  }
  if (total > bytes) throw tooLarge(bytes)
  if (bounds.large !== undefined && whole > bounds.large.bytes) throw tooLarge(bounds.large.bytes)
  requireSeparate(within)
  return within.filter(({ path }) => !isFolder(path) || belowLarge(path, bounds) !== undefined)
}

/** Files that share their bytes unpack to much more than the archive contains. */
function requireSeparate(all: readonly Placed[]): void {
  const entries = all
    .map(({ entry }) => entry)
    .sort((one, other) => one.relativeOffsetOfLocalHeader - other.relativeOffsetOfLocalHeader)
  let end = 0
  for (const entry of entries) {
    const { relativeOffsetOfLocalHeader: start, compressedSize, fileNameRaw, fileName } = entry
    if (start < end) throw refused(`${shown(fileName)} has the bytes of another file`)
    end = start + localHeaderBytes + fileNameRaw.length + compressedSize
  }
}

function tooLarge(bytes: number): PlatformError {
  return new PlatformError(
    'payload-too-large',
    `The archive is larger than ${Math.floor(bytes / 1_048_576)} MB when it is unpacked`,
  )
}

/** Reports whether a path is in this folder. The folder may itself be in a folder that contains the whole archive. */
function isBelow(path: string, folderName: string | undefined): boolean {
  if (folderName === undefined) return false
  return path.startsWith(folderName) || path.slice(path.indexOf('/') + 1).startsWith(folderName)
}

const dosSystem = 0
const utf8Flag = 0x800
/** Info-ZIP's extra field with the name in UTF-8. */
const unicodePath = 0x7075

/**
 * Returns the path of an entry. Finder writes decomposed UTF-8 without declaring it. Windows programs may separate
 * folders by backslashes, which cannot be part of a name on Windows.
 */
function pathOf(entry: Entry, largeFolder: string | undefined): string {
  const { fileName, fileNameRaw, generalPurposeBitFlag, versionMadeBy } = entry
  const isDeclared = entry.extraFields.some(({ id }) => id === unicodePath)
  const isUndeclared = (generalPurposeBitFlag & utf8Flag) === 0 && !isDeclared
  const decodedName = isUndeclared && isUtf8(fileNameRaw) ? fileNameRaw.toString() : fileName
  const isDos = versionMadeBy >>> 8 === dosSystem
  // The names of large files are compared as they are.
  if (!isDos && isBelow(decodedName, largeFolder)) {
    const fault = pathFault(decodedName.replace(/\/$/, ''))
    if (fault !== undefined) throw refused(`${shown(decodedName)}: ${fault}`)
    return decodedName
  }
  if (!isDos && fileNameRaw.includes('\\')) throw refused(`${shown(decodedName)} has a backslash`)
  const path = decodedName.replaceAll('\\', '/').normalize('NFC')
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

/** Checks that an entry is a plain file or folder, deflated or stored. */
function requirePlain(entry: Entry): void {
  const name = shown(entry.fileName)
  if (entry.isEncrypted()) throw refused(`${name} is encrypted`)
  if (!entry.canDecodeFileData()) throw refused(`${name} uses an unknown compression method`)
  const type = (entry.externalFileAttributes >>> 16) & fileTypes
  const isUnix = entry.versionMadeBy >>> 8 === unixSystem
  if (isUnix && type !== 0 && type !== regularFile && type !== folder)
    throw refused(`${name} is neither a file nor a folder`)
}

function isFolder(path: string): boolean {
  return path.endsWith('/')
}

async function* contentOf(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  let checksum = 0
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      checksum = crc32(chunk as Buffer, checksum)
      yield chunk as Buffer
    }
  } catch (cause) {
    throw invalid(cause)
  }
  // The library enforces the declared size, but does not verify the checksum.
  if (checksum !== entry.crc32) throw refused(`${shown(entry.fileName)} is damaged`)
}

/** Converts the errors of the library, which throws only if the ZIP is invalid. */
function readable<T>(read: Promise<T>): Promise<T> {
  return read.catch((cause: unknown) => {
    throw invalid(cause)
  })
}

function invalid(cause: unknown): Error {
  if (cause instanceof PlatformError || cause instanceof ArchiveUnreadable) return cause
  return refused(cause instanceof Error ? cause.message : 'it cannot be read', cause)
}

/** The archive could not be read, for a reason that is not its content. */
export class ArchiveUnreadable extends Error {}

/** Returns a name for an error message, because it may be long and contain any characters. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100))
}

function refused(why: string, cause?: unknown): PlatformError {
  return new PlatformError('bad-request', `The body is not a ZIP of an agent: ${why}`, { cause })
}
