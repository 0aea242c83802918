import type { AgentEvent } from '../../../../clients/typescript/index.ts'

/** What an agent was for a while: `unknown` before the first event that is known. */
export type Condition = 'running' | 'stopped' | 'asleep' | 'failed' | 'unknown'

export interface Span {
  condition: Condition
  /** Epoch milliseconds. */
  from: number
  to: number
}

/** What an agent is from an event of each kind on; undefined for one that changes nothing of it. */
function conditionAfter({ kind, text }: AgentEvent): Condition | undefined {
  switch (kind) {
    case 'stopped':
      // The platform's own words for it: nothing else of an event tells a sleep from a stop.
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
 * What an agent was from one time to another, without gaps.
 * @param events newest first, as the platform has them
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
