import { newId } from '../platform/ids.ts'

/** contract.md 6: one AI completion. Every number is as the provider said it, unless `estimated`. */
export interface UsageEvent {
  id: string
  userId: string
  /** Null for a call without an agent. */
  agentId: string | null
  /** The model that served, by its routing id. */
  model: string
  provider: string
  kind: 'completion'
  inputTokens: number
  outputTokens: number
  /** Null where no price of the model is known. */
  costUsd: number | null
  /** The tokens were counted here, because the provider did not say. */
  estimated: boolean
  toolName: null
  /** False for an answer that broke off. */
  success: boolean
  durationMs: number
  endpoint: string
  createdAt: string
}

export type Completion = Omit<UsageEvent, 'id' | 'kind' | 'toolName' | 'createdAt'>

export function completionEvent(completion: Completion, now = Date.now()): UsageEvent {
  return {
    id: newId('usage'),
    ...completion,
    kind: 'completion',
    toolName: null,
    createdAt: new Date(now).toISOString(),
  }
}
