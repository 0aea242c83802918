import * as z from 'zod'
import type { PlanName } from '#shared/money/plans/plans.ts'
import { once } from '#shared/platform/once.ts'
import { watchdogRecord } from '../watchdog/schema.ts'
import { secretNames } from './config/secrets.ts'
import { specializations } from './lineage.ts'
import { agentStatuses } from './statuses.ts'

/**
 * The part of an agent's config that its container gets. Any of these settings can prevent the container from working.
 */
const recipe = once(() =>
  z.object({
    model: z.string().optional(),
    systemPrompt: z.string().optional(),
    secrets: secrets().optional(),
  }),
)

/** Each secret is encrypted with its own context. */
const secrets = once(() => z.partialRecord(z.enum(secretNames), z.string()))

/** The verified identity behind an agent. */
const verification = once(() =>
  z.object({
    type: z.enum(['eas', 'coinbase', 'ens']),
    attestationUid: z.string().nullable(),
    /** The wallet that signed, or the attester. */
    verifierAddress: z.string(),
    verifiedAt: z.string(),
    /** Additional data of the proof, such as an ENS name. */
    metadata: z.record(z.string(), z.string()).nullable(),
  }),
)

/** The origin of a clone. */
const lineage = once(() =>
  z.object({
    parentAgentId: z.string(),
    /** The parent's generation plus one. An agent that is not a clone has generation 1. */
    generation: z.number(),
    specialization: z.enum(specializations),
    /** A caller without the owner's session paid for the clone. */
    byStranger: z.literal(true).optional(),
  }),
)

/** The offer of a generation's secrets, which its container can fetch once. */
const offer = once(() =>
  z.object({
    generation: z.number(),
    /** Epoch milliseconds: the expiry of the offer; after the first fetch, the expiry for retries. */
    until: z.number(),
    /** The SHA-256 of the container's nonce; absent before the first fetch. */
    by: z.string().optional(),
  }),
)

/**
 * The sync state of the agent's container with its memory and skills in the table. The table is authoritative, because
 * a container's disk is lost with its task.
 */
const workspace = once(() =>
  z.object({
    /** The revision of the last change. Each change increments it and marks the rows that it writes. */
    revision: z.number(),
    /** The revision of the last memory reset; 0 for none. */
    reset: z.number(),
    /** The time of the last memory reset, ISO 8601. */
    resetAt: z.string().optional(),
    /** The last revision that a container received completely. */
    given: z.number(),
    /** The generation of that container. */
    generation: z.number(),
    /** The number of notes in its memory, and their characters. */
    notes: z.number(),
    characters: z.number(),
    /** The time when the platform last read the agent's own notes, ISO 8601. */
    learnedAt: z.string().optional(),
  }),
)

/** An agent: its desired state and its last observed state. Every write increments `revision`. */
export const agentRecord = once(() =>
  z.object({
    id: z.string(),
    /** Null for an agent of the platform itself. */
    userId: z.string().nullable(),
    name: z.string(),
    /** The first label of its host name. */
    subdomain: z.string(),
    model: z.string(),
    /** The name may no longer be a plan: see findPlan. */
    plan: z.custom<PlanName>((name) => typeof name === 'string'),
    aiProvider: z.string(),
    /** contract.md 7 lists the known keys. Other keys are stored unchanged. */
    config: z.looseObject({ systemPrompt: z.string().optional(), model: z.string().optional() }),
    /** The encrypted secrets of its config. */
    secrets: secrets().optional(),
    /** The end of the encrypted token for Telegram that the platform has made a channel of, or has found unusable. */
    channelToken: z.string().optional(),
    /** The image of its last start. Before the first start, the platform's own. */
    image: z.string(),
    /** The image of its last container that ran. */
    ranImage: z.string().optional(),
    /** The desired image of this agent. Absent for the platform's own. */
    pinnedImage: z.string().optional(),
    /** The last choice of its image by a person. Absent for choices of earlier releases. */
    imageChange: z.object({ at: z.string(), by: z.string() }).optional(),
    /** The image before its last update. */
    previousImage: z.string().optional(),
    /** Its image is on trial. If it fails, `pin` becomes the desired image again; null for the platform's own. */
    trial: z.object({ pin: z.string().nullable() }).optional(),
    /** The generation of its last update. A restore point is created before its container starts. */
    updateGeneration: z.number().optional(),
    /** The settings of its container, until it is healthy. */
    startedWith: recipe().optional(),
    /** The settings of its last healthy container. */
    healthyConfig: recipe().optional(),
    /** The image of its last healthy container. */
    healthyImage: z.string().optional(),
    /** It uses `healthyConfig` instead of its config, until a person starts it. */
    fallenBack: z.literal(true).optional(),
    status: z.enum(agentStatuses),

    desired: z.enum(['running', 'stopped']),
    /** Counts starts. Data of an earlier generation is stale. */
    generation: z.number(),
    revision: z.number(),
    /** Counts rotations of the gateway token. */
    tokenVersion: z.number(),

    /** The task of this generation, once it exists. */
    taskArn: z.string().optional(),
    /** The task of an earlier generation, until it has stopped. Two tasks must never run at the same time. */
    previousTaskArn: z.string().optional(),
    taskStatus: z.string().optional(),
    taskHealth: z.enum(['UNKNOWN', 'HEALTHY', 'UNHEALTHY']).optional(),
    /** The last known version of `taskArn`. */
    taskVersion: z.number().optional(),
    /** ECS has announced that it reclaims the task's host, and the task has not ended yet. */
    leaving: z.literal(true).optional(),
    /** The `askedAt` of the watchdog's last request that found the task. */
    seenUp: z.number().optional(),
    address: z.object({ host: z.string(), port: z.number() }).optional(),
    /** SHA-256 of the generation's AI key, while it is valid. */
    aiKeyHash: z.string().optional(),
    /** The container's offer to fetch its secrets. */
    bootstrap: offer().optional(),
    /** There was no Spot capacity for this start, so its task uses On-Demand. */
    onDemand: z.literal(true).optional(),
    /**
     * The generation that uses its own task, because no warm container was available. It takes no warm container later.
     */
    ownTask: z.number().optional(),
    /** The number of consecutive starts without capacity. */
    startAttempts: z.number().optional(),
    /** Epoch milliseconds. There is no attempt before this time. */
    retryAt: z.number().optional(),
    startedAt: z.string().optional(),
    /** The reason of its last stop. Removed when it runs again. */
    stopReason: z
      .object({
        code: z.string(),
        exitCode: z.number().nullable(),
        text: z.string(),
        at: z.string(),
      })
      .optional(),

    /**
     * The sort key of its entry in the watchdog's index (watch/place.ts), which is another row. Absent without an
     * entry.
     */
    watched: z.string().optional(),

    /** It uses the platform's default sleep timeout, because its config never contained `sleepAfterMinutes`. */
    sleepsByDefault: z.literal(true).optional(),

    /** Its subdomain has its own row. Older agents get one with their next write. */
    located: z.literal(true).optional(),

    /** Its policy differs from the default and has a row, which each of its effects reads. */
    hasPolicy: z.literal(true).optional(),

    /** It has connections to MCP servers. Each request to its container says so. */
    hasConnections: z.literal(true).optional(),

    verification: verification().optional(),
    /** Set for a clone. */
    lineage: lineage().optional(),

    watchdog: watchdogRecord(),
    /** The watchdog stopped it because it was idle. The next request wakes it. */
    asleep: z.literal(true).optional(),
    /** It is waking up. */
    waking: z.literal(true).optional(),
    /** The last activity, accurate to the minute. */
    lastActiveAt: z.string().optional(),
    /** Epoch milliseconds. Work with the agent counts as active until then. */
    busyUntil: z.number().optional(),
    /** The sync state of its memory and skills. Absent if it has neither. */
    workspace: workspace().optional(),
    /** An operator stopped it, so its owner cannot start it. */
    stoppedByOperator: z.literal(true).optional(),
    /** An operator started it although its owner's plan does not allow it, so the end of a plan does not stop it. */
    startedByOperator: z.literal(true).optional(),
    /**
     * The time since which it is stopped because of its owner's plan, ISO 8601. It starts again when the plan allows
     * it.
     */
    lapsedAt: z.string().optional(),
    /** The time when it will be deleted because of its owner's plan, ISO 8601. The owner is notified a week before. */
    deletionAt: z.string().optional(),
    /** The time when it was started again because its owner's plan allows it again, ISO 8601. */
    resumedAt: z.string().optional(),
    /** True while the consumer removes its data. For everyone else it is already deleted. */
    deleting: z.literal(true).optional(),
    createdAt: z.string(),
    updatedAt: z.string(),
  }),
)

export type Agent = z.output<ReturnType<typeof agentRecord>>
export type AgentVerification = z.output<ReturnType<typeof verification>>
export type Lineage = z.output<ReturnType<typeof lineage>>
export type Offer = z.output<ReturnType<typeof offer>>
export type Recipe = z.output<ReturnType<typeof recipe>>
export type WorkspaceState = z.output<ReturnType<typeof workspace>>
