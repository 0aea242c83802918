import type { AgentEvent } from '../../../../clients/typescript/index.ts'

/** The state of an agent over time: `unknown` before the first known event. */
export type Condition = 'running' | 'stopped' | 'asleep' | 'failed' | 'unknown'

export interface Span {
  condition: Condition
  /** Epoch milliseconds. */
  from: number
  to: number
}

/** Returns the state after an event. Undefined if the event does not change it. */
function conditionAfter({ kind, text }: AgentEvent): Condition | undefined {
  switch (kind) {
    case 'stopped':
      // The platform's text is the only difference between sleep and stop in an event.
      return text.startsWith('It slept') ? 'asleep' : 'stopped'
    case 'crashed':
    case 'given_up':
      return 'failed'
    case 'deleted':
      return 'stopped'
    case 'configured':
    case 'restored':
      return undefined
    default:
      return 'running'
  }
}

/**
 * Returns the states between two times, without gaps.
 * @param events newest first
 */
export function spansOf(events: readonly AgentEvent[], from: number, to: number): Span[] {
  const spans: Span[] = []
  let condition: Condition = 'unknown'
  let since = from
  const end = (at: number) => {
    if (at > since) spans.push({ condition, from: since, to: at })
    since = Math.max(since, at)
  }
  for (const event of events.toReversed()) {
    const next = conditionAfter(event)
    const at = Date.parse(event.at)
    if (next === undefined || next === condition || at > to) continue
    end(at)
    condition = next
  }
  end(to)
  return spans
}
