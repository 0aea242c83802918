import * as z from 'zod'

export const WatchdogState = z.enum([
  'stopped',
  'starting',
  'running',
  'degraded',
  'repairing',
  'crash_loop',
])

export const Incident = z.object({
  at: z.string(),
  cause: z.string(),
  /** How far the watchdog went: it saw it, it restarted the agent, or it gave up. */
  step: z.enum(['detected', 'restart', 'crash_loop']),
  attempt: z.number(),
  resolvedAt: z.string().nullable(),
})

export const DueNotice = z.object({
  kind: z.enum(['degraded', 'crash_loop', 'repair_started', 'repaired', 'repair_failed']),
  /** When the incident began. */
  incidentAt: z.string(),
  cause: z.string(),
  attempt: z.number(),
})

/** What an agent's detail shows: contract.md 8. */
export const WatchdogView = z.object({
  state: WatchdogState,
  attempts: z.number(),
  incidents: z.array(Incident),
})

/** What the agent's row keeps. Times are epoch milliseconds unless they are shown. */
export const WatchdogRecord = WatchdogView.extend({
  /** Checks that failed in a row. */
  failures: z.number(),
  /** When it crashed, within the crash-loop window. */
  crashes: z.array(z.number()),
  /** When this state was entered. */
  since: z.number(),
  /** When the next step is due; the tick takes it up where the message that should have is lost. */
  dueAt: z.number().nullable(),
  /** The step of a repair that is under way. */
  repair: z.enum(['stopping', 'starting']).nullable(),
  /** The generation whose task was last seen to run. */
  generation: z.number().nullable(),
  /** Notices that are due and perhaps not in their queue yet. */
  unsent: z.array(DueNotice),
})

export type State = z.output<typeof WatchdogState>
export type Incident = z.output<typeof Incident>
export type DueNotice = z.output<typeof DueNotice>
export type Watchdog = z.output<typeof WatchdogRecord>

/** A new agent's watchdog. */
export function newWatchdog(now: number): Watchdog {
  return {
    state: 'stopped',
    attempts: 0,
    failures: 0,
    crashes: [],
    incidents: [],
    since: now,
    dueAt: null,
    repair: null,
    generation: null,
    unsent: [],
  }
}
