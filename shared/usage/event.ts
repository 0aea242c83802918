import { decodeTime } from 'ulid'
import { newId } from '../platform/ids.ts'

/** contract.md 6: what every event has. */
interface EventBase {
  id: string
  userId: string
  /** Null for a call without an agent. */
  agentId: string | null
  inputTokens: number
  outputTokens: number
  /** False for an answer that broke off, and for a tool that failed. */
  success: boolean
  durationMs: number
  endpoint: string
  createdAt: string
}

/** One AI completion. Every number is as the provider said it, unless `estimated`. */
export interface CompletionEvent extends EventBase {
  kind: 'completion'
  /** The model that served, by its routing id. */
  model: string
  provider: string
  /** Null where no price of the model is known. */
  costUsd: number | null
  /** The tokens were counted here, because the provider did not say. */
  estimated: boolean
  toolName: null
}

/** One tool call, as the agent that made it says: it takes no tokens, and so costs nothing of itself. */
export interface ToolEvent extends EventBase {
  kind: 'tool'
  agentId: string
  model: null
  provider: null
  inputTokens: 0
  outputTokens: 0
  costUsd: 0
  toolName: string
}

export type UsageEvent = CompletionEvent | ToolEvent

export type Completion = Omit<CompletionEvent, 'id' | 'kind' | 'toolName' | 'createdAt'>

export function completionEvent(completion: Completion, now = Date.now()): CompletionEvent {
  return {
    id: newId('usage'),
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
    id: newId('usage', seed),
    ...call,
    kind: 'tool',
    model: null,
    provider: null,
    inputTokens: 0,
    outputTokens: 0,
    costUsd: 0,
    createdAt: new Date(decodeTime(seed)).toISOString(),
  }
}
