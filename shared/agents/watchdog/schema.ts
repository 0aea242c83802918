import * as z from 'zod'
import { once } from '#shared/platform/once.ts'

/** The states of the watchdog: contract.md 8. */
export const watchdogStates = [
  'stopped',
  'starting',
  'running',
  'degraded',
  'repairing',
  'crash_loop',
] as const

/** The settings that the watchdog falls back to if a restart does not help: the last healthy ones. */
const fallbacks = ['healthy_config', 'healthy_image'] as const

/** The watchdog's last step: detection, a restart with current or earlier settings, or giving up. */
const incidentStep = once(() => z.enum(['detected', 'restart', ...fallbacks, 'crash_loop']))

export const incident = once(() =>
  z
    .object({
      at: z.string(),
      cause: z.string(),
      step: incidentStep(),
      attempt: z.number(),
      resolvedAt: z.string().nullable(),
    })
    .meta({ id: 'Incident' }),
)

const noticeKind = once(() =>
  z.enum(['degraded', 'crash_loop', 'repair_started', 'repaired', 'repair_failed']),
)

const dueNotice = once(() =>
  z.object({
    kind: noticeKind(),
    /** The beginning of the incident. */
    incidentAt: z.string(),
    cause: z.string(),
    attempt: z.number(),
    step: incidentStep(),
  }),
)

/** The watchdog in an agent's detail: contract.md 8. */
export const watchdogView = once(() =>
  z
    .object({
      state: z.enum(watchdogStates),
      attempts: z.number(),
      incidents: z.array(incident()),
    })
    .meta({ id: 'Watchdog' }),
)

/** The watchdog in an agent's row. Times are epoch milliseconds, except the view's times. */
export const watchdogRecord = once(() =>
  watchdogView().extend({
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
    notified: z.array(noticeKind()).optional(),
    /** Notices that may not be in their queue yet. */
    unsent: z.array(dueNotice()),
  }),
)

export type State = (typeof watchdogStates)[number]
export type Fallback = (typeof fallbacks)[number]
export type Incident = z.output<ReturnType<typeof incident>>
export type DueNotice = z.output<ReturnType<typeof dueNotice>>
export type Watchdog = z.output<ReturnType<typeof watchdogRecord>>

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
