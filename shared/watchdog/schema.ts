import * as z from 'zod'

export const WatchdogState = z.enum([
  'stopped',
  'starting',
  'running',
  'degraded',
  'repairing',
  'crash_loop',
])

/** What the watchdog goes back to when a restart does not help: what the agent was well with last. */
export const Fallback = z.enum(['healthy_config', 'healthy_image'])

/** How far the watchdog went: it saw it, it restarted the agent as it is or as it was once well, or it gave up. */
export const IncidentStep = z.enum(['detected', 'restart', ...Fallback.options, 'crash_loop'])

export const Incident = z
  .object({
    at: z.string(),
    cause: z.string(),
    step: IncidentStep,
    attempt: z.number(),
    resolvedAt: z.string().nullable(),
  })
  .meta({ id: 'Incident' })

export const NoticeKind = z.enum([
  'degraded',
  'crash_loop',
  'repair_started',
  'repaired',
  'repair_failed',
])

export const DueNotice = z.object({
  kind: NoticeKind,
  /** When the incident began. */
  incidentAt: z.string(),
  cause: z.string(),
  attempt: z.number(),
  step: IncidentStep,
})

/** What an agent's detail shows: contract.md 8. */
export const WatchdogView = z
  .object({
    state: WatchdogState,
    attempts: z.number(),
    incidents: z.array(Incident),
  })
  .meta({ id: 'Watchdog' })

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
  /** Since when it asks whether the task of a silent agent is still there, in epoch milliseconds. */
  askedAt: z.number().optional(),
  /** The generation whose task was last seen to run. */
  generation: z.number().nullable(),
  /** The kinds of notices that the last incident has called for: each comes once. */
  notified: z.array(NoticeKind).optional(),
  /** Notices that are due and perhaps not in their queue yet. */
  unsent: z.array(DueNotice),
})

export type State = z.output<typeof WatchdogState>
export type Fallback = z.output<typeof Fallback>
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
