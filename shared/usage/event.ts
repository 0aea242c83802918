import { decodeTime } from 'ulid'
import * as z from 'zod'
import { newId } from '../platform/ids.ts'
import { once } from '../platform/once.ts'

/** What ids of events begin with. */
export const eventId = 'use'

/** contract.md 6: what every event has. */
const base = () => ({
  id: z.string(),
  userId: z.string(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  /** False for an answer that broke off, and for a tool that failed. */
  success: z.boolean(),
  durationMs: z.number(),
  endpoint: z.string(),
  createdAt: z.string(),
  /** The user key that asked, also by a turn with an agent; null for a session, a trusted caller, and an agent by itself. */
  keyId: z.string().nullable().default(null),
})

/** One AI completion. Every number is as the provider said it, unless `estimated`. */
export const completion = () =>
  z.object({
    ...base(),
    kind: z.literal('completion'),
    /** Null for a call without an agent. */
    agentId: z.string().nullable(),
    /** The model that served, by its routing id. */
    model: z.string(),
    provider: z.string(),
    /** The parts of `inputTokens` that were read from the provider's cache or written to it; absent if not reported. */
    cacheReadTokens: z.number().optional(),
    cacheWriteTokens: z.number().optional(),
    /** The part of `outputTokens` that is reasoning; absent if not reported. */
    reasoningTokens: z.number().optional(),
    /** Null without a known price of the model. */
    costUsd: z.number().nullable(),
    /** The tokens were counted here, because the provider did not say. */
    estimated: z.boolean(),
    toolName: z.null(),
  })

/** One tool call, as the agent that made it says: it takes no tokens, and so costs nothing of itself. */
const tool = () =>
  z.object({
    ...base(),
    kind: z.literal('tool'),
    agentId: z.string(),
    model: z.null(),
    provider: z.null(),
    inputTokens: z.literal(0),
    outputTokens: z.literal(0),
    costUsd: z.literal(0),
    toolName: z.string(),
  })

/** A video, recorded when its cost is known. It uses no tokens. */
export const video = () =>
  z.object({
    ...base(),
    kind: z.literal('video'),
    agentId: z.string().nullable(),
    model: z.string(),
    provider: z.string(),
    inputTokens: z.literal(0),
    outputTokens: z.literal(0),
    /** Null without a known price of the model. */
    costUsd: z.number().nullable(),
    toolName: z.null(),
    /** As ordered; null if the provider chose it. */
    seconds: z.number().nullable(),
    size: z.string().nullable(),
  })

export const usageEvent = once(() => z.discriminatedUnion('kind', [completion(), tool()]))

export type CompletionEvent = z.output<ReturnType<typeof completion>>
export type ToolEvent = z.output<ReturnType<typeof tool>>
export type VideoEvent = z.output<ReturnType<typeof video>>
export type UsageEvent = CompletionEvent | ToolEvent

/** What the name of a key is for is its day's row, which outlives it: no event keeps it. */
interface KeyName {
  keyName?: string | null | undefined
}

export type Completion = Omit<CompletionEvent, 'id' | 'kind' | 'toolName' | 'createdAt' | 'keyId'> &
  Partial<Pick<CompletionEvent, 'keyId'>> &
  KeyName

/** A completion with what its rollups take. */
export type NamedCompletion = CompletionEvent & KeyName

/** An event that the rollups by model count: a completion or a video. */
export type NamedCall = (CompletionEvent | VideoEvent) & KeyName

export function completionEvent(completion: Completion, now = Date.now()): NamedCompletion {
  return {
    id: newId(eventId),
    keyId: null,
    ...completion,
    kind: 'completion',
    toolName: null,
    createdAt: new Date(now).toISOString(),
  }
}

export type ToolCall = Pick<
  ToolEvent,
  'userId' | 'agentId' | 'toolName' | 'success' | 'durationMs' | 'endpoint'
>

/** @param seed a ULID: what names the event, and says when it was reported */
export function toolEvent(call: ToolCall, seed: string): ToolEvent {
  return {
    id: newId(eventId, seed),
    ...call,
    kind: 'tool',
    model: null,
    provider: null,
    inputTokens: 0,
    outputTokens: 0,
    costUsd: 0,
    keyId: null,
    createdAt: new Date(decodeTime(seed)).toISOString(),
  }
}
