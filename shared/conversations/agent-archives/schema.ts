import * as z from 'zod'
import { agentConfig, shortText } from '#shared/agents/record/config/schema.ts'
import { secretNames } from '#shared/agents/record/config/secrets.ts'
import { agentName } from '#shared/agents/record/schema.ts'
import { once } from '#shared/platform/once.ts'
import { longestContent } from '../chat/message.ts'
import { importBytes } from './imports/create.ts'

/** The `format` in `agent.json`, which identifies an agent's archive. */
export const archiveFormat = 'agent-archive'

export const duplicateRequest = z.object({ name: agentName }).meta({ id: 'DuplicateRequest' })

export const exportView = z
  .object({
    state: z.enum(['queued', 'running', 'done', 'failed']),
    url: z.string().nullable().describe('The archive; null until it is done'),
    expiresAt: z.string().nullable().describe('ISO 8601; an hour after the export is done'),
    bytes: z.int().nullable(),
  })
  .meta({ id: 'AgentExport' })

export const newImport = z
  .object({
    size: z
      .int('size must be a whole number')
      .min(1, 'size must be at least 1')
      .max(importBytes, `size must be at most ${importBytes}`)
      .describe('The exact size of the archive in bytes'),
  })
  .meta({ id: 'NewAgentImport' })

export const importLink = z
  .object({
    importId: z.string(),
    url: z.string().describe('Send the archive to this address, once'),
    method: z.literal('PUT'),
    headers: z.record(z.string(), z.string()).describe('Headers that the request must have'),
    expiresAt: z.string().describe('ISO 8601'),
  })
  .meta({ id: 'AgentImportLink' })

/** The JSON body of an import of an uploaded archive. */
export const uploadedImport = z.object({
  importId: z.string({ error: 'importId required' }).min(1, 'importId required').max(64),
})

/** Settings that open an agent to others or send its messages to them: an archive may come from a stranger. */
export const ownerOnlySettings = ['webhookUrl', 'paidGateway'] as const

/**
 * Settings that let an agent act beyond its user's instructions. With a stranger's prompt, it could send its new
 * owner's messages to the stranger's agent. An export contains them; an import turns them off.
 */
export const manualSettings: readonly string[] = ['bus', 'wakeOnMessage', 'mcp']

const isOneOf = (names: readonly string[]) => (name: string) => names.includes(name)

/** The content of `agent.json`. */
export const agentFile = once(() =>
  z.strictObject({
    format: z.literal(archiveFormat),
    version: z.literal(1, 'version must be 1: this platform supports no other version'),
    name: agentName,
    model: shortText(200),
    plan: shortText(64),
    aiProvider: shortText(64),
    config: agentConfig.superRefine((config, issues) => {
      const refuse = (name: string, why: string) =>
        issues.addIssue({
          code: 'custom',
          path: [name],
          message: `${name} ${why} and must not be in an archive: set it after the import`,
        })
      for (const name of Object.keys(config).filter(isOneOf(secretNames)))
        refuse(name, 'is a secret')
      for (const name of Object.keys(config).filter(isOneOf(ownerOnlySettings)))
        refuse(name, 'controls who else reaches the agent')
    }),
  }),
)

/** The content of `skills.json`. */
export const skillsFile = once(() =>
  z.array(z.strictObject({ id: z.string().max(64), version: z.string(), enabled: z.boolean() })),
)

/** The content of `schedules.json`. Each entry is validated like a request. */
export const schedulesFile = once(() => z.array(z.record(z.string(), z.unknown())))

/** Numbers that the table can store. */
const count = z.int().min(0)

/** The name of a topic, which must fit into a row's key. */
const topic = z.string().min(1).max(100)

/** A line of `conversations.jsonl`. */
export const messageLine = once(() =>
  z.strictObject({
    sender: z.enum(['user', 'agent']),
    content: z.string().max(longestContent),
    timestamp: z.iso.datetime({ precision: 3 }),
    platform: shortText(64),
    topic: topic.optional(),
    model: z.string().max(200).nullable().optional(),
    usage: z
      .strictObject({ prompt_tokens: count, completion_tokens: count, total_tokens: count })
      .nullable()
      .optional(),
    truncated: z.literal(true).optional(),
    failedAt: z.iso.datetime().optional(),
    cancelled: z.literal(true).optional(),
    reason: z.string().max(1000).nullable().optional(),
  }),
)

export type MessageLine = z.output<ReturnType<typeof messageLine>>
