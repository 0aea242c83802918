import * as z from 'zod'
import { bytesOf } from './names.ts'

/** The id of a pack: a ULID, and `.upload` if a user's link was used to store it. */
const packId = z.string().regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}(?:\.upload)?$/)

/** A part of a pack: the pack's id, the offset and the length in bytes. */
const partSchema = z.tuple([packId, z.int().min(0), z.int().min(0)])

export type Part = z.output<typeof partSchema>

const common = {
  name: z.string().regex(/^(?!\.{1,2}$)[^/\0]{1,255}$/),
  /** Permission bits; absent for the default. */
  mode: z.int().min(0).max(0o7777).optional(),
  /** Epoch milliseconds. */
  mtime: z.number(),
}

export const fileFields = {
  ...common,
  type: z.literal('file'),
  size: z.int().min(0),
  /** The SHA-256 of the content in hex, or another tag of the platform. */
  tag: z.string().regex(/^[\w-]{1,80}$/),
  /** The content, in order. */
  parts: z.array(partSchema),
}

export const folderSchema = z.object({
  ...common,
  type: z.literal('folder'),
  /** The list of its entries. */
  tree: partSchema,
  /** The total size and the number of all files below it. */
  bytes: z.int().min(0),
  files: z.int().min(0),
})

/** The text of `nameOf`. Linux accepts neither an empty target nor a longer one, nor one with NUL. */
const target = z
  .string()
  .regex(/^[^\0]+$/)
  .refine((text) => bytesOf(text).length <= 4096, 'target must be at most 4,096 bytes')

export const linkSchema = z.object({ ...common, type: z.literal('link'), target })

/** A list of the platform: the entries of one folder, sorted by the bytes of the names. */
export const listSchema = z.array(
  z.discriminatedUnion('type', [z.object(fileFields), folderSchema, linkSchema]),
)

export type ListedEntry = z.output<typeof listSchema>[number]

export const openedSchema = z.object({
  version: z.int().min(0),
  /** Random; new whenever all files are replaced, as by a restore. */
  origin: z.string(),
  root: partSchema.nullable(),
  bytes: z.int().min(0),
  files: z.int().min(0),
  fileLimit: z.int().min(0),
})

/** The state of the files at the platform. */
export type Opened = z.output<typeof openedSchema>

/** A time as ISO 8601 or epoch milliseconds, in epoch milliseconds. */
const time = z.union([z.number(), z.iso.datetime().transform((text) => Date.parse(text))])

export const linksSchema = z.object({
  links: z.array(z.object({ id: packId, url: z.url() })),
  expiresAt: time,
})

export const packsSchema = z.object({
  packs: z.array(
    z.object({
      id: packId,
      url: z.url(),
      method: z.string(),
      headers: z.record(z.string(), z.string()),
    }),
  ),
  expiresAt: time,
})

export const committedSchema = z.object({ version: z.int().min(0) })

export const markerSchema = z.object({
  form: z.literal(1),
  committed: z.union([z.literal(0), z.literal(1)]),
  origin: z.string(),
  version: z.int().min(0),
  root: partSchema.nullable(),
  bytes: z.int().min(0),
  files: z.int().min(0),
})

/** One folder of the marker: its path, and its files and links with what a scan compares. */
export const markerFolderSchema = z.object({
  path: z.string(),
  entries: z.array(
    z.discriminatedUnion('type', [
      z.object({
        ...fileFields,
        stat: z.string().optional(),
        pieces: z.array(z.string()).optional(),
      }),
      folderSchema,
      linkSchema,
    ]),
  ),
})
