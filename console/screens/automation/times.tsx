import { useEffect, useState } from 'preact/hooks'
import { cronWords } from './cron-words.ts'

interface WhenProps {
  cronSchedule: string
  timezone: string
}

/** Shows a schedule as text, with its expression. */
export function When({ cronSchedule, timezone }: WhenProps) {
  const words = cronWords(cronSchedule)
  return (
    <>
      {words !== undefined && <>{words} </>}
      <code>{cronSchedule}</code> {timezone}
    </>
  )
}

/** Shows the next five runs in the schedule's time zone, or explains why there is no next run. */
export function NextRuns({ cronSchedule, timezone }: WhenProps) {
  const [found, setFound] = useState<{ of: string; times: Date[] | undefined }>()
  const schedule = `${cronSchedule} ${timezone}`
  useEffect(() => {
    let current = true
    const look = async () => {
      const { nextRuns } = await import('./next-runs.ts')
      if (current)
        setFound({ of: schedule, times: attempt(() => nextRuns(cronSchedule, timezone, 5)) })
    }
    void look()
    return () => {
      current = false
    }
  }, [schedule, cronSchedule, timezone])
  if (found?.of !== schedule) return null
  if (found.times === undefined)
    return <p class="meta">Invalid cron expression (five fields) or time zone.</p>
  if (found.times.length === 0) return <p class="meta">No future runs.</p>
  return (
    <ol class="next-runs" aria-label="Next runs">
      {found.times.map((time) => (
        <li key={time.getTime()}>
          <time dateTime={time.toISOString()}>{written(time, timezone)}</time>
        </li>
      ))}
    </ol>
  )
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    // While the user types, the expression can be incomplete; the caller shows the error.
    return undefined
  }
}

function written(time: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  }).format(time)
}
