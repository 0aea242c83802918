import * as z from 'zod'

export const WatchdogState = z.enum([
  'stopped',
  'starting',
  'running',
  'degraded',
  'repairing',
  'crash_loop',
])

/** The settings that the watchdog falls back to if a restart does not help: the last healthy ones. */
export const Fallback = z.enum(['healthy_config', 'healthy_image'])

/** The watchdog's last step: detection, a restart with current or earlier settings, or giving up. */
const IncidentStep = z.enum(['detected', 'restart', ...Fallback.options, 'crash_loop'])

export const Incident = z
  .object({
    at: z.string(),
    cause: z.string(),
    step: IncidentStep,
    attempt: z.number(),
    resolvedAt: z.string().nullable(),
  })
  .meta({ id: 'Incident' })

const NoticeKind = z.enum(['degraded', 'crash_loop', 'repair_started', 'repaired', 'repair_failed'])

export const DueNotice = z.object({
  kind: NoticeKind,
  /** The beginning of the incident. */
  incidentAt: z.string(),
  cause: z.string(),
  attempt: z.number(),
  step: IncidentStep,
})

/** The watchdog in an agent's detail: contract.md 8. */
export const WatchdogView = z
  .object({
    state: WatchdogState,
    attempts: z.number(),
    incidents: z.array(Incident),
  })
  .meta({ id: 'Watchdog' })

/** The watchdog in an agent's row. Times are epoch milliseconds, except the view's times. */
export const WatchdogRecord = WatchdogView.extend({
  /** Consecutive failed checks. */
  failures: z.number(),
  /** Times of crashes within the crash-loop window. */
  crashes: z.array(z.number()),
  /** The time when this state was entered. */
  since: z.number(),
  /** The due time of the next step. If its message is lost, the tick takes the step. */
  dueAt: z.number().nullable(),
  /** The current step of a repair. */
  repair: z.enum(['stopping', 'starting']).nullable(),
  /** The time since which the watchdog requests the state of a silent agent's task, in epoch milliseconds. */
  askedAt: z.number().optional(),
  /** The generation whose task last ran. */
  generation: z.number().nullable(),
  /** The kinds of notices of the last incident. Each is sent once. */
  notified: z.array(NoticeKind).optional(),
  /** Notices that may not be in their queue yet. */
  unsent: z.array(DueNotice),
})

export type State = z.output<typeof WatchdogState>
export type Fallback = z.output<typeof Fallback>
export type Incident = z.output<typeof Incident>
export type DueNotice = z.output<typeof DueNotice>
export type Watchdog = z.output<typeof WatchdogRecord>

/** Returns the watchdog of a new agent. */
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
