import type { ScheduledRun } from '../../../clients/typescript/index.ts'
import { count, usd } from '../../base/figures.ts'
import { platform } from '../../base/platform.ts'
import { Fault } from '../../ui/fault.tsx'
import { useLoad } from '../../ui/load.ts'
import { Ago, Skeleton } from '../../ui/parts.tsx'
import '../../ui/runs.css'

const isUnderWay = ({ status }: ScheduledRun) => status === 'queued' || status === 'active'

/**
 * The last runs of a scheduled task.
 * @param round another value reloads them
 */
export function TaskRuns({ taskId, round }: { taskId: string; round: number }) {
  const { data, error } = useLoad(
    `runs ${taskId} ${round}`,
    (signal) => platform.tasks.runs(taskId, { limit: 20 }, { signal }),
    (runs) => (runs.some(isUnderWay) ? 2000 : 20_000),
  )
  if (error !== undefined) return <Fault error={error} />
  if (data === undefined) return <Skeleton lines={2} />
  if (data.length === 0) return <p class="meta">No runs yet.</p>
  return (
    <ul class="runs" aria-label="Runs">
      {data.map((run) => (
        <li key={run.id}>
          <p>
            <span class="state" data-state={colours[run.status]}>
              {run.status}
            </span>{' '}
            <span class="meta">{about(run)}</span>{' '}
            {run.startedAt !== null && (
              <span class="meta">
                <Ago at={run.startedAt} />
              </span>
            )}
          </p>
          {run.error !== null && <p class="meta">{run.error}</p>}
          {run.reply !== null && <p class="said">{run.reply}</p>}
        </li>
      ))}
    </ul>
  )
}

/** The colors of the agent states with the same meaning. */
const colours: Record<ScheduledRun['status'], string> = {
  queued: 'pending',
  active: 'pending',
  finished: 'running',
  failed: 'error',
  cancelled: 'stopped',
}

function about({ startedAt, finishedAt, tokens, costUsd }: ScheduledRun): string {
  const parts: string[] = []
  if (startedAt !== null && finishedAt !== null) {
    const seconds = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000
    parts.push(`${seconds.toLocaleString('en', { maximumFractionDigits: 1 })} s`)
  }
  if (tokens !== null) parts.push(`${count(tokens)} tokens`)
  if (costUsd !== null) parts.push(usd(costUsd))
  return parts.join(', ')
}
