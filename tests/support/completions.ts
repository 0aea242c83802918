import type { Table } from '../../shared/platform/table/port.ts'
import { type Completion, completionEvent } from '../../shared/usage/event.ts'
import { keepEvents } from '../../shared/usage/keep.ts'

/** Counts a completion as the gateway does. @param at when it was, in milliseconds */
export async function keepCompletion(
  table: Table,
  given: Partial<Completion> & Pick<Completion, 'userId'>,
  at = Date.now(),
) {
  const completion = {
    agentId: null,
    model: 'openai/gpt-4o',
    provider: 'router',
    inputTokens: 100,
    outputTokens: 10,
    costUsd: 0.25,
    estimated: false,
    success: true,
    durationMs: 200,
    endpoint: '/v1/chat/completions',
    ...given,
  }
  const event = completionEvent(completion, at)
  await keepEvents({ table }, { events: [event] })
  return event
}
