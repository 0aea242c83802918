import { decodeTime } from 'ulid'
import * as z from 'zod'
import { newId } from '#shared/platform/ids.ts'
import { once } from '#shared/platform/once.ts'
import { isoOf } from '#shared/platform/times.ts'

/** The prefix of event ids. */
export const eventId = 'use'

/** The attributes of every event: contract.md 6. */
const base = () => ({
  id: z.string(),
  userId: z.string(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  /** False for a response that was cut off, and for a failed tool. */
  success: z.boolean(),
  durationMs: z.number(),
  endpoint: z.string(),
  createdAt: z.string(),
  /**
   * The user's API key of the request, or of the request that started the agent's turn. Null for a session, a trusted
   * caller, or an agent's own call.
   */
  keyId: z.string().nullable().default(null),
})

/** An AI completion. Numbers come from the provider, unless `estimated` is set. */
export const completion = () =>
  z.object({
    ...base(),
    kind: z.literal('completion'),
    /** Null for a call without an agent. */
    agentId: z.string().nullable(),
    /** The routing id of the model that responded. */
    model: z.string(),
    provider: z.string(),
    /** The parts of `inputTokens` that were read from the provider's cache or written to it; absent if not reported. */
    cacheReadTokens: z.number().optional(),
    cacheWriteTokens: z.number().optional(),
    /** The part of `outputTokens` that is reasoning; absent if not reported. */
    reasoningTokens: z.number().optional(),
    /** Null without a known price of the model. */
    costUsd: z.number().nullable(),
    /** True if the platform counted the tokens, because the provider did not report them. */
    estimated: z.boolean(),
    toolName: z.null(),
  })

/** A tool call, reported by the agent that made it. It uses no tokens and costs nothing itself. */
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
    /** The requested duration; null if the provider chose it. */
    seconds: z.number().nullable(),
    size: z.string().nullable(),
  })

export const usageEvent = once(() => z.discriminatedUnion('kind', [completion(), tool()]))

export type CompletionEvent = z.output<ReturnType<typeof completion>>
export type ToolEvent = z.output<ReturnType<typeof tool>>
export type VideoEvent = z.output<ReturnType<typeof video>>
export type UsageEvent = CompletionEvent | ToolEvent

/** The key's name is stored in the key's daily rollup, not in the event. */
interface KeyName {
  keyName?: string | null | undefined
}

export type CompletionUsage = Omit<
  CompletionEvent,
  'id' | 'kind' | 'toolName' | 'createdAt' | 'keyId'
> &
  Partial<Pick<CompletionEvent, 'keyId'>> &
  KeyName

/** A completion with the key's name for its rollups. */
export type NamedCompletion = CompletionEvent & KeyName

/** An event that the rollups by model count: a completion or a video. */
export type NamedCall = (CompletionEvent | VideoEvent) & KeyName

export function completionEvent(completion: CompletionUsage, now = Date.now()): NamedCompletion {
  return {
    id: newId(eventId),
    keyId: null,
    ...completion,
    kind: 'completion',
    toolName: null,
    createdAt: isoOf(now),
  }
}

export type ToolCall = Pick<
  ToolEvent,
  'userId' | 'agentId' | 'toolName' | 'success' | 'durationMs' | 'endpoint'
>

/** @param seed a ULID for the event's id; its time is when the event was reported */
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
    createdAt: isoOf(decodeTime(seed)),
  }
}
