import type { Settings } from '#shared/platform/config/settings.ts'

/** The watchdog's settings, in seconds and counts: spec.md, Limits. */
export type WatchdogSettings = Pick<
  Settings,
  | 'WATCHDOG_AUTO_REPAIR'
  | 'WATCHDOG_CHECK_INTERVAL'
  | 'WATCHDOG_CRASH_LOOP_THRESHOLD'
  | 'WATCHDOG_CRASH_LOOP_WINDOW'
  | 'WATCHDOG_DEGRADED_CHECK_INTERVAL'
  | 'WATCHDOG_MAX_REPAIR_ATTEMPTS'
  | 'WATCHDOG_REPAIR_START_WAIT'
  | 'WATCHDOG_REPAIR_STOP_WAIT'
  | 'WATCHDOG_STARTUP_FAILURE_THRESHOLD'
>
