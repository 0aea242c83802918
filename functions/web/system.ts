import { type Route, routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { cachedFor, checksOf } from '#shared/platform/health/check.ts'
import { machineHealth } from '#shared/platform/health/machine.ts'
import { tableProbe } from '#shared/platform/health/ready.ts'
import { MachineHealth } from '#shared/platform/health/schema.ts'
import { queueProbe } from '#shared/platform/queues/probe.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { documentRoutes } from '../common/documents.ts'
import { type HasLooks, ready } from '../common/ready.ts'

// Cached, so that frequent requests do not measure themselves.
const measure = cachedFor(async () => machineHealth())

export const routes: readonly Route<HasLooks>[] = [
  routesWith<object>()({
    name: 'health.get',
    method: 'GET',
    path: '/api/health',
    summary: 'Get the health of the web API',
    tag: 'health',
    guard: 'none',
    unlimited: 'health',
    response: MachineHealth,
    errors: ['internal'],
    handle: async ({ log }) => {
      try {
        return await measure()
      } catch (error) {
        log.error('the machine’s health could not be measured', { error })
        const timestamp = new Date().toISOString()
        return Response.json({ status: 'error', health: 'unhealthy', timestamp }, { status: 500 })
      }
    },
  }),

  ready,

  ...documentRoutes,
]

export function wire(config: ConfigOf<'web-system'>): Wiring<HasLooks> {
  const table = openTable(config)
  return {
    services: {
      looks: checksOf({
        database: tableProbe(table),
        queues: queueProbe(config.queueUrl('provisioning'), config.SQS_ENDPOINT),
      }),
    },
  }
}
