import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import { packId, partSchema } from '../tree/entry.ts'

/** The maximum size of a pack in bytes. */
const packBytes = 64 * 1024 * 1024

/** The form of an agent's generation. */
const generation = () => z.int().min(1).max(1_000_000_000)

/** Linters of API documents require `items`, which a tuple does not have. */
const part = once(() => partSchema().meta({ items: {}, minItems: 3, maxItems: 3 }))

const root = () =>
  z.lazy(part).nullable().describe('The list of the top folder; null if no files exist')

const totals = () => ({
  bytes: z.int().min(0).describe('The total size of all files'),
  files: z.int().min(0),
})

export const filesOpening = once(() => z.object({ generation: generation() }))

export const openedFiles = once(() =>
  z.object({
    version: z.int().describe('The number of commits'),
    origin: z
      .string()
      .describe('Changes whenever all files are replaced at once, such as by a restore'),
    root: root(),
    ...totals(),
    fileLimit: z.int(),
  }),
)

export const packReading = once(() =>
  z.object({ generation: generation(), packs: z.array(z.string().regex(packId)).min(1).max(1000) }),
)

export const packLinks = once(() =>
  z.object({
    links: z.array(z.object({ id: z.string(), url: z.string() }).meta({ id: 'PackLink' })),
    expiresAt: z.string().describe('ISO 8601'),
  }),
)

export const packWriting = once(() =>
  z.object({
    generation: generation(),
    packs: z
      .array(z.object({ bytes: z.int().min(1).max(packBytes) }))
      .min(1)
      .max(100),
    release: z
      .literal(true)
      .optional()
      .describe('The container ends, and its last commit refers to the packs'),
  }),
)

export type PackWriting = z.output<ReturnType<typeof packWriting>>

export const newPacks = once(() =>
  z.object({
    packs: z.array(
      z
        .object({
          id: z.string(),
          url: z.string().describe('Send the bytes to this address, once'),
          method: z.literal('PUT'),
          headers: z.record(z.string(), z.string()),
        })
        .meta({ id: 'NewPack' }),
    ),
    expiresAt: z.string().describe('ISO 8601'),
  }),
)

export const filesCommit = once(() =>
  z.object({
    generation: generation(),
    base: z.int().min(0).describe('The version that the commit changes'),
    root: root(),
    ...totals(),
    release: z.literal(true).optional().describe('The container ends: this is its last commit'),
  }),
)

export const committedFiles = once(() => z.object({ version: z.int() }))

export type FilesCommit = z.output<ReturnType<typeof filesCommit>>

export const fileDescribing = once(() =>
  z.object({ path: z.string().max(4096).describe('In the workspace of the agent') }),
)

export const describedFile = once(() =>
  z.object({
    name: z.string(),
    size: z.int().describe('In bytes'),
    sha256: z.string().describe('In hexadecimal digits'),
    parts: z.array(z.lazy(part)).describe('The parts of packs with the content, in order'),
  }),
)

export type DescribedFile = z.output<ReturnType<typeof describedFile>>
