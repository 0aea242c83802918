import * as z from 'zod'
import { bytesOf } from '#shared/platform/folder/names.ts'
import { once } from '#shared/platform/once.ts'

/** The id of a pack: a ULID, and `.upload` if a link was used to store it. */
export const packId = /^[0-7][0-9A-HJKMNP-TV-Z]{25}(?:\.upload)?$/

/** A part of a pack: the pack's id, the offset and the length in bytes. */
export const partSchema = once(() =>
  z.tuple([z.string().regex(packId), z.int().min(0), z.int().min(0)]),
)

export type Part = z.output<ReturnType<typeof partSchema>>

const common = () => ({
  /** A name of `nameOf`, which preserves names that are not UTF-8. */
  name: z.string().regex(/^(?!\.{1,2}$)[^/\0]{1,255}$/),
  /** Permission bits; absent for the default. */
  mode: z.int().min(0).max(0o7777).optional(),
  /** The last modification in epoch milliseconds. */
  mtime: z.number(),
})

/** The text of `nameOf`. Linux accepts neither an empty target nor a longer one, nor one with NUL. */
const target = () =>
  z
    .string()
    .regex(/^[^\0]+$/)
    .refine((text) => bytesOf(text).length <= 4096, 'target must be at most 4,096 bytes')

/** The content of a folder, sorted by the bytes of the names. Containers send such lists, so they are validated. */
export const entriesSchema = once(() =>
  z.array(
    z.discriminatedUnion('type', [
      z
        .object({
          ...common(),
          type: z.literal('file'),
          size: z.int().min(0),
          /** Changes whenever the content changes: the ETag. */
          tag: z.string().regex(/^[\w-]{1,80}$/),
          /** The content, in order. */
          parts: z.array(partSchema()),
        })
        .refine(
          ({ size, parts }) => parts.reduce((sum, [, , length]) => sum + length, 0) === size,
          'size must be the total length of parts',
        ),
      z.object({
        ...common(),
        type: z.literal('folder'),
        /** The list of its entries. */
        tree: partSchema(),
        /** The total size of all files below it, and their number. */
        bytes: z.int().min(0),
        files: z.int().min(0),
      }),
      /** A symbolic link. It is kept for the container; routes neither list nor follow it. */
      z.object({ ...common(), type: z.literal('link'), target: target() }),
    ]),
  ),
)

export type Entry = z.output<ReturnType<typeof entriesSchema>>[number]
export type FileEntry = Extract<Entry, { type: 'file' }>
export type FolderEntry = Extract<Entry, { type: 'folder' }>

/** Returns the bytes of a list. JSON escapes the halves of surrogate pairs, so every name survives. */
export function encodeEntries(entries: readonly Entry[]): Uint8Array {
  return Buffer.from(JSON.stringify(entries))
}

/** @throws Error if the bytes are not a list of entries */
export function decodeEntries(bytes: Uint8Array): Entry[] {
  return entriesSchema().parse(JSON.parse(Buffer.from(bytes).toString()))
}

/** Returns the total size and number of the files in a list and below it. */
export function totalsIn(entries: readonly Entry[]): { bytes: number; files: number } {
  let [bytes, files] = [0, 0]
  for (const entry of entries) {
    if (entry.type === 'file') {
      bytes += entry.size
      files++
    } else if (entry.type === 'folder') {
      bytes += entry.bytes
      files += entry.files
    }
  }
  return { bytes, files }
}
