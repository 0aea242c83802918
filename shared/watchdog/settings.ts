/** The watchdog's settings, in seconds and counts: spec.md, Limits. */
export interface WatchdogSettings {
  WATCHDOG_AUTO_REPAIR: boolean
  WATCHDOG_CHECK_INTERVAL: number
  WATCHDOG_DEGRADED_CHECK_INTERVAL: number
  WATCHDOG_STARTUP_FAILURE_THRESHOLD: number
  WATCHDOG_MAX_REPAIR_ATTEMPTS: number
  WATCHDOG_CRASH_LOOP_WINDOW: number
  WATCHDOG_CRASH_LOOP_THRESHOLD: number
  WATCHDOG_REPAIR_STOP_WAIT: number
  WATCHDOG_REPAIR_START_WAIT: number
}
