import * as z from 'zod'
import type { PlanName } from '../plans/plans.ts'
import { once } from '../platform/once.ts'
import { WatchdogRecord } from '../watchdog/schema.ts'
import { secretNames } from './config/secrets.ts'
import { specializations } from './lineage.ts'
import { agentStatuses } from './statuses.ts'

/** What a container is told of its agent's config, all of which can keep a container from working. */
const recipe = once(() =>
  z.object({
    model: z.string().optional(),
    systemPrompt: z.string().optional(),
    secrets: secrets().optional(),
  }),
)

/** Each sealed for its place. */
const secrets = once(() => z.partialRecord(z.enum(secretNames), z.string()))

/** Who stands behind an agent, as it was proven once. */
const verification = once(() =>
  z.object({
    type: z.enum(['eas', 'coinbase', 'ens']),
    attestationUid: z.string().nullable(),
    /** The wallet that signed, or the attester. */
    verifierAddress: z.string(),
    verifiedAt: z.string(),
    /** What else the proof says, such as an ENS name. */
    metadata: z.record(z.string(), z.string()).nullable(),
  }),
)

/** Where a clone comes from. */
const lineage = once(() =>
  z.object({
    parentAgentId: z.string(),
    /** One more than its parent's; an agent that is no clone is of generation 1. */
    generation: z.number(),
    specialization: z.enum(specializations),
  }),
)

/** The one fetch of what a generation's container needs. */
const offer = once(() =>
  z.object({
    generation: z.number(),
    /** Epoch milliseconds until which it may be made; once it was made, until which it may be made again. */
    until: z.number(),
    /** SHA-256 of what the container made up to be known again by, once it has fetched. */
    by: z.string().optional(),
  }),
)

/**
 * How far an agent's container has what the table holds for it: its memory and its skills. The table is the truth,
 * since a container's disk is gone with its task.
 */
const workspace = once(() =>
  z.object({
    /** Of the last change; each counts one up and marks the rows that it writes. */
    revision: z.number(),
    /** Of the last change that made the agent forget everything; 0 for none. */
    reset: z.number(),
    /** When that was: ISO 8601. */
    resetAt: z.string().optional(),
    /** The last revision that a container has been given whole. */
    given: z.number(),
    /** Which start that container belonged to. */
    generation: z.number(),
    /** Notes in its memory, and their characters. */
    notes: z.number(),
    characters: z.number(),
    /** When the platform last looked for what the agent itself wrote: ISO 8601. */
    learnedAt: z.string().optional(),
  }),
)

/** One agent: what is wanted of it, and what was last seen of it. Every write raises `revision`. */
export const agentRecord = once(() =>
  z.object({
    id: z.string(),
    /** Null for one that the platform itself made. */
    userId: z.string().nullable(),
    name: z.string(),
    /** The first label of its own host name. */
    subdomain: z.string(),
    model: z.string(),
    /** A row may hold a name that is no plan by now: findPlan tells. */
    plan: z.custom<PlanName>((name) => typeof name === 'string'),
    aiProvider: z.string(),
    /** Known keys are contract.md 7's; others are kept as given. */
    config: z.looseObject({ systemPrompt: z.string().optional(), model: z.string().optional() }),
    /** The secrets of its config. */
    secrets: secrets().optional(),
    /** The image that it was last asked to start from; before its first start the platform's own. */
    image: z.string(),
    /** The image of its container that was last seen to run. */
    ranImage: z.string().optional(),
    /** The image wanted for this agent; absent: the platform's own. */
    pinnedImage: z.string().optional(),
    /** What it ran before its last update. */
    previousImage: z.string().optional(),
    /** Its image is new and was not seen to be well yet; where it fails, `pin` is wanted again, null for the platform's. */
    trial: z.object({ pin: z.string().nullable() }).optional(),
    /** The generation that its last update began, which gets a restore point before its container starts. */
    updateGeneration: z.number().optional(),
    /** What its container was made from, until that is seen to be well. */
    startedWith: recipe().optional(),
    /** What it was made from when it was well last. */
    healthyConfig: recipe().optional(),
    /** The image that it was well on last. */
    healthyImage: z.string().optional(),
    /** It is made from `healthyConfig`, not from its config, until a person starts it. */
    fallenBack: z.literal(true).optional(),
    status: z.enum(agentStatuses),

    desired: z.enum(['running', 'stopped']),
    /** Counts starts; what belongs to an earlier one is stale. */
    generation: z.number(),
    revision: z.number(),
    /** Counts rotations of the gateway token. */
    tokenVersion: z.number(),

    /** The task of this generation, once there is one. */
    taskArn: z.string().optional(),
    /** The task of an earlier generation, until it is seen to have stopped: two must never run at once. */
    previousTaskArn: z.string().optional(),
    taskStatus: z.string().optional(),
    taskHealth: z.enum(['UNKNOWN', 'HEALTHY', 'UNHEALTHY']).optional(),
    /** The version of `taskArn` that was last seen. */
    taskVersion: z.number().optional(),
    /** The machine under its task is being taken away: ECS has said so, and the task has not ended yet. */
    leaving: z.literal(true).optional(),
    /** The `askedAt` of the watchdog's last question that found its task to be there. */
    seenUp: z.number().optional(),
    address: z.object({ host: z.string(), port: z.number() }).optional(),
    /** SHA-256 of the generation's AI key, while it is good. */
    aiKeyHash: z.string().optional(),
    /** By what its container fetches what it runs by. */
    bootstrap: offer().optional(),
    /** AWS had no spare capacity for this start, so that its task is one at the full price. */
    onDemand: z.literal(true).optional(),
    /** The start that gets a task of its own, as no container of the pool was there for it: from then on it takes none. */
    ownTask: z.number().optional(),
    /** Starts that found no capacity, in a row. */
    startAttempts: z.number().optional(),
    /** Epoch milliseconds until which nothing tries again. */
    retryAt: z.number().optional(),
    startedAt: z.string().optional(),
    /** Why it stopped last; gone once it runs again. */
    stopReason: z
      .object({
        code: z.string(),
        exitCode: z.number().nullable(),
        text: z.string(),
        at: z.string(),
      })
      .optional(),

    /** Where its watch stands in the index (watch/place.ts), a row of its own; absent where it has none. */
    watched: z.string().optional(),

    /** It sleeps after the platform's default: it was made without `sleepAfterMinutes`, and was given none since. */
    sleepsByDefault: z.literal(true).optional(),

    /** Its subdomain names it in a row of its own; every agent is given one with its next write. */
    located: z.literal(true).optional(),

    verification: verification().optional(),
    /** Of a clone. */
    lineage: lineage().optional(),

    watchdog: WatchdogRecord,
    /** The watchdog stopped it as it had nothing to do; the next request for it wakes it. */
    asleep: z.literal(true).optional(),
    /** It was asleep, was woken, and is on its way. */
    waking: z.literal(true).optional(),
    /** When a request or a run last worked with it, to the minute. */
    lastActiveAt: z.string().optional(),
    /** Epoch milliseconds until which work with it counts as going on. */
    busyUntil: z.number().optional(),
    /** How far its container has its memory and skills; absent while it has neither. */
    workspace: workspace().optional(),
    /** An operator of the platform stopped it: its owner cannot start it again. */
    stoppedByOperator: z.literal(true).optional(),
    /** An operator started it although its owner's plan had no place for it: the end of a plan does not stop it. */
    startedByOperator: z.literal(true).optional(),
    /** Since when its owner's plan has no place for it, which stopped it: ISO 8601. It starts again once there is one. */
    lapsedAt: z.string().optional(),
    /** When it is deleted as its owner's plan has had no place for it for long: ISO 8601; they were told a week before. */
    deletionAt: z.string().optional(),
    /** When it was started again as its owner's plan had a place for it again: ISO 8601. */
    resumedAt: z.string().optional(),
    /** It is gone for everyone but the consumer that removes what it leaves. */
    deleting: z.literal(true).optional(),
    createdAt: z.string(),
    updatedAt: z.string(),
  }),
)

export type Agent = z.output<ReturnType<typeof agentRecord>>
export type Verification = z.output<ReturnType<typeof verification>>
export type Lineage = z.output<ReturnType<typeof lineage>>
export type Offer = z.output<ReturnType<typeof offer>>
export type Recipe = z.output<ReturnType<typeof recipe>>
export type WorkspaceState = z.output<ReturnType<typeof workspace>>
