import * as z from 'zod'
import { once } from '#shared/platform/once.ts'

/** A file of an agent as it was when the agent sent it. */
export const outgoingFile = once(() =>
  z.object({
    path: z.string(),
    name: z.string(),
    mime: z.string(),
    /** In bytes. */
    size: z.number(),
    sha256: z.string(),
    /** The content: the id of a pack, an offset and a length in bytes for each part. */
    parts: z.array(z.tuple([z.string(), z.number(), z.number()])),
  }),
)

export type OutgoingFile = z.output<ReturnType<typeof outgoingFile>>

/** Returns a file as people see it before it is sent. */
export function describedFile({ name, size, sha256 }: OutgoingFile): string {
  return `${name} (${size} bytes, SHA-256 ${sha256})`
}
