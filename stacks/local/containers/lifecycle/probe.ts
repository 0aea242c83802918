import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Probe } from '../definitions/container.ts'
import type { HealthStatus } from '../tasks/task.ts'

/** Until the first success, each pause is a fifth longer than the one before: fast at first, then cheap. */
const firstPauseMs = 10
const pauseGrowth = 1.2
const longestPauseMs = 500

/**
 * Watches a container's health until `signal` aborts, and reports every change.
 *
 * The health is UNKNOWN until the first success. It is UNHEALTHY if there is no success by the end of the start period and
 * its retries, and again after as many consecutive failures as there are retries. Durations as in `probe`.
 */
export async function watchHealth(
  port: number,
  probe: Probe,
  tell: (status: HealthStatus) => void,
  signal: AbortSignal,
): Promise<void> {
  const patience = performance.now() + probe.startPeriodMs + probe.retries * probe.intervalMs
  let status: HealthStatus = 'UNKNOWN'
  let failures = 0
  let pause = firstPauseMs
  while (await wait(status === 'UNKNOWN' ? pause : probe.intervalMs, signal)) {
    const good = await isGood(port, probe, signal)
    if (signal.aborted) return
    failures = good ? 0 : failures + 1
    pause = Math.min(pause * pauseGrowth, longestPauseMs)
    const lost: boolean =
      status === 'UNKNOWN' ? performance.now() >= patience : failures >= probe.retries
    const seen: HealthStatus = good ? 'HEALTHY' : lost ? 'UNHEALTHY' : status
    if (seen !== status) tell(seen)
    status = seen
  }
}

/** Resolves with false when `signal` aborts, else with true after the pause. */
function wait(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false)
}

/** Returns whether the container responds with a status below 400, as `curl -f` requires. */
function isGood(port: number, probe: Probe, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({
      host: '127.0.0.1',
      port,
      path: probe.path,
      agent: false,
      signal: AbortSignal.any([signal, AbortSignal.timeout(probe.timeoutMs)]),
    })
    request.once('error', () => resolve(false))
    // A request can close with neither a response nor an error, if the container switches protocols.
    request.once('close', () => resolve(false))
    request.once('response', (response) => {
      resolve((response.statusCode ?? 500) < 400)
      response.destroy()
    })
  })
}
