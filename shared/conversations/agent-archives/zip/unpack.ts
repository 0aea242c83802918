import { isUtf8 } from 'node:buffer'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { type Entry, fromBufferPromise, validateFileName, type ZipFile } from 'yauzl'
import { PlatformError } from '#shared/platform/errors.ts'

export interface Bounds {
  /** The maximum number of bytes of all files together. */
  bytes: number
  /** The maximum number of files and folders. */
  entries: number
  /** Reports whether a path is allowed; an archive with other paths is rejected. */
  takes(path: string): boolean
}

const unixSystem = 3
const fileTypes = 0o170000
const regularFile = 0o100000
const folder = 0o040000

/**
 * Unpacks a ZIP within limits. The declared sizes are checked before anything is unpacked, and unpacking stops if a
 * file is larger than declared.
 * @returns the files' bytes by path
 * @throws PlatformError 413 if it is too large, 400 if it is invalid
 */
export async function unpack(
  bytes: Uint8Array,
  bounds: Bounds,
): Promise<Map<string, Buffer<ArrayBufferLike>>> {
  const zip = await open(bytes)
  // Finder adds an extra entry for each file.
  if (zip.entryCount > 2 * bounds.entries + 2) throw tooMany(bounds)
  const entries = await filesOf(zip, bounds)
  const files = new Map<string, Buffer<ArrayBufferLike>>()
  for (const { entry, path } of entries) files.set(path, await contentOf(zip, entry))
  return files
}

function tooMany({ entries }: Bounds): PlatformError {
  return refused(`it has more than ${entries} files and folders`)
}

/** The library also rejects absolute names and names with `..`. */
function open(bytes: Uint8Array): Promise<ZipFile> {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return readable(fromBufferPromise(archive, { lazyEntries: true }))
}

/** An entry with the path that its program intended. */
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
  const paths = new Set<string>()
  let total = 0
  for (const { entry, path } of all) {
    const { uncompressedSize } = entry
    // File systems that ignore case would merge paths that differ only in case.
    const name = path.toLowerCase()
    if (paths.has(name)) throw refused(`${shown(path)} occurs twice`)
    paths.add(name)
    requirePlain(entry)
    total += uncompressedSize
    if (!isFolder(path) && !takes(path)) throw refused(`${shown(path)} is not a file of an agent`)
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
/** Info-ZIP's extra field with the name in UTF-8. */
const unicodePath = 0x7075

/**
 * Returns the path of an entry. Finder writes decomposed UTF-8 without declaring it. Windows programs may separate
 * folders by backslashes, which cannot be part of a name on Windows.
 */
function pathOf(entry: Entry): string {
  const { fileName, fileNameRaw, generalPurposeBitFlag, versionMadeBy } = entry
  const isDeclared = entry.extraFields.some(({ id }) => id === unicodePath)
  const isUndeclared = (generalPurposeBitFlag & utf8Flag) === 0 && !isDeclared
  const decodedName = isUndeclared && isUtf8(fileNameRaw) ? fileNameRaw.toString() : fileName
  const isDos = versionMadeBy >>> 8 === dosSystem
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

async function contentOf(zip: ZipFile, entry: Entry): Promise<Buffer<ArrayBufferLike>> {
  const content = await readable(zip.openReadStreamPromise(entry).then((stream) => buffer(stream)))
  // The library enforces the declared size, but does not verify the checksum.
  if (crc32(content) !== entry.crc32) throw refused(`${shown(entry.fileName)} is damaged`)
  return content
}

/** Converts the errors of the library, which throws only if the ZIP is invalid. */
function readable<T>(read: Promise<T>): Promise<T> {
  return read.catch((cause: unknown) => {
    throw refused(cause instanceof Error ? cause.message : 'it cannot be read', cause)
  })
}

/** Returns a name for an error message, because it may be long and contain any characters. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100))
}

function refused(why: string, cause?: unknown): PlatformError {
  return new PlatformError('bad-request', `The body is not a ZIP of an agent: ${why}`, { cause })
}
