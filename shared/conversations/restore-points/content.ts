import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import * as z from 'zod'
import { partSchema } from '#shared/agents/files/tree/entry.ts'
import { policyRows } from '#shared/permits/policy/rows.ts'
import { once } from '#shared/platform/once.ts'
import { messageRows } from '../chat/rows.ts'

const totals = { bytes: z.number(), files: z.number() }

/** The content of a restore point. It contains no secret: the secrets of a config are stored elsewhere, encrypted. */
const content = once(() =>
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
      /** The value from the agent's row. */
      sleepsByDefault: z.literal(true).optional(),
      /** The time of the last reset of its conversations, ISO 8601. */
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
    /** Absent if an earlier release made the restore point: a restore then leaves the policy unchanged. */
    policy: policyRows.declared.schema().pick({ preset: true, rules: true }).optional(),
    /** The messages with their seeds, oldest first. */
    messages: z.array(z.object({ seed: z.string(), row: messageRows.declared.schema() })),
    /**
     * The total size and number of its files, whose root is pinned with the id of the restore point; null if it had
     * none. Absent if an earlier release made the restore point: a restore then leaves the files unchanged.
     */
    files: z.object(totals).nullable().optional(),
    /** The files of a new agent: stored under its id already, or to be brought when it exists. */
    initialFiles: z
      .discriminatedUnion('kind', [
        z.object({ kind: z.literal('stored'), root: partSchema(), ...totals }),
        z.object({ kind: z.literal('copy'), ...totals }),
        z.object({ kind: z.literal('archive'), key: z.string(), ...totals }),
      ])
      .optional(),
    /** True if older messages were omitted; a restore leaves them unchanged. */
    cut: z.boolean(),
  }),
)

export type SnapshotContent = z.output<ReturnType<typeof content>>

export type InitialFiles = NonNullable<SnapshotContent['initialFiles']>

export type StoredMessage = SnapshotContent['messages'][number]

const pack = promisify(gzip)
const unpack = promisify(gunzip)

/** The maximum size. Memory, skills and messages are limited, so real content is smaller. */
const maxBytes = 128 * 1024 * 1024

export async function encode(snapshot: SnapshotContent): Promise<Uint8Array> {
  return pack(JSON.stringify(snapshot))
}

/** @throws Error for invalid content */
export async function decode(bytes: Uint8Array): Promise<SnapshotContent> {
  const text = (await unpack(bytes, { maxOutputLength: maxBytes })).toString()
  return content().parse(JSON.parse(text))
}
