import type { FleetTrace } from '../../../clients/typescript/index.ts'
import { agentPath } from '../../base/agents.ts'
import { count, usd } from '../../base/figures.ts'
import { Ago } from '../../ui/parts.tsx'

const colours = { completed: 'running', failed: 'error', running: 'pending' } as const

/** Lists the last turns, newest first, with their durations and links to the conversation and the log. */
export function Traces({ traces }: { traces: readonly FleetTrace[] }) {
  const longest = Math.max(1, ...traces.map((trace) => durationOf(trace) ?? 0))
  return (
    <ol class="traces" aria-label="Last turns">
      {traces.map((trace) => (
        <li key={trace.id}>
          <div>
            <p class="row">
              <strong>{trace.agentName ?? 'A deleted agent'}</strong>{' '}
              <span class="state" data-state={colours[trace.status]}>
                {trace.status}
              </span>{' '}
              <span class="meta">
                <Ago at={trace.startedAt} />
              </span>
            </p>
            <p class="asked">{trace.description}</p>
          </div>
          <div>
            <svg class="span" aria-hidden="true" viewBox="0 0 100 6" preserveAspectRatio="none">
              <rect
                width={Math.max(1, ((durationOf(trace) ?? 0) / longest) * 100)}
                height="6"
                data-state={trace.status}
              />
            </svg>
            <p class="meta">{figures(trace)}</p>
            {trace.agentName !== null && (
              <p class="meta row">
                <a href={agentPath(trace.agentId, 'chat')}>Conversation</a>
                <a
                  href={`${agentPath(trace.agentId, 'logs')}?since=${encodeURIComponent(trace.startedAt)}`}
                >
                  Log from this time
                </a>
              </p>
            )}
          </div>
        </li>
      ))}
    </ol>
  )
}

/** Returns milliseconds. Undefined while the turn is running. */
function durationOf({ startedAt, completedAt }: FleetTrace): number | undefined {
  return completedAt === null ? undefined : Date.parse(completedAt) - Date.parse(startedAt)
}

function seconds(ms: number): string {
  if (ms < 1000) return `${ms} ms`
  return `${(ms / 1000).toLocaleString('en', { maximumFractionDigits: 1 })} s`
}

function figures(trace: FleetTrace): string {
  const ms = durationOf(trace)
  return [
    ms === undefined ? 'under way' : seconds(ms),
    trace.model ?? 'unknown model',
    trace.tokensUsed === null ? 'unknown tokens' : `${count(trace.tokensUsed)} tokens`,
    trace.costUsd === null ? 'unknown cost' : usd(trace.costUsd),
  ].join(' · ')
}
