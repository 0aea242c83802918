import { isoOf } from '#shared/platform/times.ts'
import type { DueNotice, Incident, Watchdog } from './schema.ts'

const keptIncidents = 20

/** Returns the incident that is not resolved. */
export function openIncident({ incidents }: Watchdog): Incident | undefined {
  return incidents.findLast(({ resolvedAt }) => resolvedAt === null)
}

/** Opens an incident, if none is open. An incident lasts from the first failure until the agent is healthy. */
export function openedIncident(watchdog: Watchdog, cause: string, now: number): Watchdog {
  if (openIncident(watchdog) !== undefined) return watchdog
  const at = isoOf(now)
  const incident: Incident = { at, cause, step: 'detected', attempt: 0, resolvedAt: null }
  return {
    ...watchdog,
    incidents: [...watchdog.incidents, incident].slice(-keptIncidents),
    notified: [],
  }
}

/** Updates the open incident, if there is one. */
export function markedIncident(watchdog: Watchdog, fields: Partial<Incident>): Watchdog {
  const open = openIncident(watchdog)
  if (open === undefined) return watchdog
  const incidents = watchdog.incidents.map((one) => (one === open ? { ...one, ...fields } : one))
  return { ...watchdog, incidents }
}

/** Adds a notice, unless this incident already had one of its kind. */
export function withNotice(watchdog: Watchdog, kind: DueNotice['kind'], cause: string): Watchdog {
  const open = openIncident(watchdog)
  const { attempts: attempt, notified: earlier = [] } = watchdog
  if (open === undefined || earlier.includes(kind)) return watchdog
  const notice: DueNotice = { kind, incidentAt: open.at, cause, attempt, step: open.step }
  return {
    ...watchdog,
    notified: [...earlier, kind],
    unsent: [...watchdog.unsent, notice],
  }
}
