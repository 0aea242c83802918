import * as z from 'zod'
import { userIdText } from '#shared/accounts/users/schema.ts'
import { idPrefixes } from '#shared/manifest/ids.ts'
import { idPattern } from '#shared/platform/ids.ts'
import { watchdogView } from '../watchdog/schema.ts'
import { agentStatuses, maxPageSize } from './agent.ts'
import { agentConfig, configWarnings, portable, shortText } from './config/schema.ts'
import { imageReference } from './image/reference.ts'

export const agentName = z
  .string({ error: 'name required' })
  .trim()
  .min(1, 'name required')
  .max(100, 'name must have at most 100 characters')
  // Not written as \P{Cc}, which has another meaning in programs that compile the pattern without the flag u.
  // oxlint-disable-next-line no-control-regex
  .regex(/^[^\x00-\x1f\x7f-\x9f]*$/, 'name must not contain control characters')
  .overwrite(portable)

/** The models that web provisioning offers; `custom` leaves the choice to `config.model`. */
const agentModels = ['claude-opus-4-6', 'gpt-4', 'custom'] as const

export const newAgent = z
  .object({
    name: agentName,
    config: agentConfig.optional(),
    userId: userIdText.optional().describe('The owner, unless x-user-id names one'),
  })
  .meta({ id: 'NewAgent' })

export const provisioning = z
  .object({
    name: agentName,
    model: z.enum(agentModels).default('claude-opus-4-6'),
    config: agentConfig.optional(),
    tier: z.string().max(64).optional().describe('starter, pro or enterprise'),
  })
  .meta({ id: 'NewAgent' })

export const agentUpdate = z
  .object({
    plan: shortText(64).optional(),
    aiProvider: shortText(64).optional(),
    config: agentConfig.optional(),
  })
  .meta({ id: 'AgentChange' })

export const imageUpdate = z.object({
  image: imageReference.optional().describe("Default: the platform's image"),
})

export const deployment = z
  .object({
    agentId: z.string({ error: 'agentId required' }).min(1, 'agentId required'),
    config: agentConfig.optional(),
  })
  .meta({ id: 'Deployment' })

export type NewAgent = z.output<typeof newAgent>
export type Provisioning = z.output<typeof provisioning>
export type AgentUpdate = z.output<typeof agentUpdate>
export type Deployment = z.output<typeof deployment>

export const agentParams = z.object({ id: z.string() })

export const instanceParams = z.object({ agentId: z.string() })

/** The message of a repair. */
export const replaced = 'The container is being replaced by a new one'

/** The backend surface calls a running agent active: contract.md 7. */
const backendStatuses = ['pending', 'provisioning', 'active', 'stopped', 'error'] as const

export const agentAnswers = {
  listItem: z
    .object({
      id: z.string(),
      status: z.enum(backendStatuses),
      created: z.string(),
      subdomain: z.string(),
      url: z.string(),
    })
    .meta({ id: 'Agent' }),
  created: z
    .object({
      id: z.string(),
      name: z.string(),
      agentId: z.string(),
      status: z.enum(backendStatuses),
      subdomain: z.string(),
      url: z.string(),
      createdAt: z.string(),
    })
    .meta({ id: 'CreatedAgent' }),
  detail: z
    .object({
      id: z.string(),
      status: z.enum(backendStatuses),
      startedAt: z.string().nullable(),
      plan: z.string(),
      subdomain: z.string(),
      url: z.string(),
      runtimeVersion: z.string().nullable(),
      verified: z.boolean(),
      verificationType: z.string().nullable(),
      attestationUid: z.string().nullable(),
      verifiedAt: z.string().nullable(),
      watchdog: watchdogView(),
    })
    .meta({ id: 'AgentDetail' }),
  updated: z
    .object({
      id: z.string(),
      plan: z.string(),
      aiProvider: z.string(),
      subdomain: z.string(),
      status: z.enum(backendStatuses),
      message: z.string(),
    })
    .meta({ id: 'ChangedAgent' }),
  deleted: z.object({ id: z.string(), deleted: z.literal(true) }).meta({ id: 'DeletedAgent' }),
  started: z
    .object({ success: z.literal(true), status: z.enum(backendStatuses) })
    .meta({ id: 'AgentState' }),
  restarted: z
    .object({
      success: z.literal(true),
      status: z.enum(backendStatuses),
      runtimeVersion: z.string().nullable(),
    })
    .meta({ id: 'AgentRestart' }),
  updatedImage: z
    .object({
      success: z.literal(true),
      status: z.enum(backendStatuses),
      image: z.string(),
      previousImage: z.string(),
      runtimeVersion: z.string().nullable(),
    })
    .meta({ id: 'AgentImage' }),
  repaired: z.object({
    success: z.literal(true),
    status: z.enum(backendStatuses),
    message: z.string(),
  }),
  memoryReset: z.object({ success: z.literal(true), message: z.string() }),
  token: z.object({ token: z.string() }).meta({ id: 'AgentToken' }),
  deployed: z
    .object({
      id: z.string(),
      agentId: z.string(),
      subdomain: z.string(),
      url: z.string(),
      status: z.enum(backendStatuses),
      runtimeVersion: z.string().nullable(),
    })
    .meta({ id: 'DeployedAgent' }),
}

const webListItem = z
  .object({
    id: z.string(),
    name: z.string(),
    model: z.string(),
    status: z.enum(agentStatuses),
    websocketUrl: z.string(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'Agent' })

/** The query of lists of all users' agents. Without limit and cursor, the response is the whole list. */
export const agentPageQuery = z.object({
  limit: z
    .string()
    .regex(/^\d{1,9}$/, 'limit must be a whole number from 0')
    .transform((text) => Math.min(Number(text), maxPageSize))
    .optional()
    .describe(`Items per page, at most ${maxPageSize}; without limit and cursor, the whole list`),
  cursor: z
    .string()
    .regex(
      new RegExp(`^${idPattern(idPrefixes.agent)}$`),
      'cursor must be the x-next-cursor of the previous page',
    )
    .optional()
    .describe('`x-next-cursor` of the previous page'),
})

export const listQuery = z.object({
  deleted: z
    .enum(['true', 'false'])
    .default('false')
    .describe(
      'true: lists deleted agents that can be restored, last deleted first, as RestorableAgentList',
    ),
})

const restorable = z
  .object({
    id: z.string(),
    name: z.string(),
    deletedAt: z.string(),
    snapshotId: z.string(),
  })
  .meta({ id: 'RestorableAgent' })

export const webAgentAnswers = {
  list: z.union([
    z
      .object({ agents: z.array(webListItem), count: z.number(), status: z.literal('ok') })
      .meta({ id: 'AgentList' }),
    z.object({ agents: z.array(restorable) }).meta({ id: 'RestorableAgentList' }),
  ]),
  detail: z.object({
    agent: webListItem
      .extend({
        plan: z.string(),
        subdomain: z.string(),
        url: z.string(),
        runtimeVersion: z.string().nullable(),
        startedAt: z.string().nullable(),
        sleepAfterMinutes: z
          .number()
          .nullable()
          .describe('Idle minutes before the agent sleeps; null for never'),
        stopReason: z
          .object({
            code: z.string(),
            exitCode: z.number().nullable(),
            text: z.string(),
            at: z.string(),
          })
          .nullable(),
        ownImage: z
          .object({
            image: z.string(),
            changedAt: z.string().nullable(),
            changedBy: z
              .string()
              .nullable()
              .describe('The credential: `session`, `key:<id>`, `program:<id>` or another actor'),
          })
          .optional()
          .describe('The image that a person chose; absent for the platform’s own'),
        warnings: configWarnings,
        watchdog: watchdogView(),
      })
      .meta({ id: 'AgentDetail' }),
    status: z.literal('ok'),
  }),
  provisioned: z.object({
    success: z.literal(true),
    agent: webListItem.omit({ updatedAt: true }).meta({ id: 'NewAgentView' }),
  }),
}

/** The backend's lifecycle responses with the web surface's statuses. */
const success = { success: z.literal(true), status: z.enum(agentStatuses) }
const version = z.string().nullable()

export const instanceAnswers = {
  changed: z.object(success).meta({ id: 'InstanceState' }),
  restarted: z.object({ ...success, runtimeVersion: version }).meta({ id: 'InstanceRestart' }),
  updated: z
    .object({
      ...success,
      image: z.string(),
      previousImage: z.string(),
      runtimeVersion: version,
    })
    .meta({ id: 'InstanceImage' }),
  repaired: z.object({ ...success, message: z.string() }),
}
