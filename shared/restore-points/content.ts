import { gunzip, gzip } from 'node:zlib'
import { promisify } from 'node:util'
import * as z from 'zod'
import { messageRows } from '../chat/rows.ts'
import { once } from '../platform/once.ts'

/** What a restore point holds of an agent. No secret is in it: those of a config are kept elsewhere, sealed. */
export const content = once(() =>
  z.object({
    version: z.literal(1),
    agent: z.object({
      id: z.string(),
      name: z.string(),
      model: z.string(),
      plan: z.string(),
      aiProvider: z.string(),
      config: z.record(z.string(), z.unknown()),
      running: z.boolean(),
      /** As in its row. */
      sleepsByDefault: z.literal(true).optional(),
      /** When it was made to forget its conversations, ISO 8601. */
      resetAt: z.string().optional(),
    }),
    notes: z.array(z.object({ key: z.string(), text: z.string(), updatedAt: z.string() })),
    skills: z.array(
      z.object({
        skillId: z.string(),
        name: z.string(),
        description: z.string(),
        version: z.string(),
        document: z.string(),
        enabled: z.boolean(),
        installedAt: z.string(),
      }),
    ),
    tasks: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        description: z.string().nullable(),
        cronSchedule: z.string(),
        timezone: z.string(),
        prompt: z.string(),
        enabled: z.boolean(),
        createdAt: z.string(),
      }),
    ),
    /** By their places, oldest first. */
    messages: z.array(z.object({ seed: z.string(), row: messageRows.declared.schema() })),
    /** Older messages were left out: a restore leaves them as they are. */
    cut: z.boolean(),
  }),
)

export type Content = z.output<ReturnType<typeof content>>

export type KeptMessage = Content['messages'][number]

const pack = promisify(gzip)
const unpack = promisify(gunzip)

/** More than the largest content takes: memory, skills and messages are bounded. */
const mostBytes = 128 * 1024 * 1024

export async function encode(given: Content): Promise<Uint8Array> {
  return pack(JSON.stringify(given))
}

/** @throws Error for what is no content */
export async function decode(bytes: Uint8Array): Promise<Content> {
  const text = (await unpack(bytes, { maxOutputLength: mostBytes })).toString()
  return content().parse(JSON.parse(text))
}
