import { createHealthCheck } from '#shared/ai/gateway/health/check.ts'
import { createProviders } from '#shared/ai/gateway/providers/provider.ts'
import { type Route, routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { clusterProbe } from '#shared/platform/containers/cluster.ts'
import { backendHealth } from '#shared/platform/health/backend.ts'
import { type TargetCheck, checksOf } from '#shared/platform/health/check.ts'
import { tableProbe } from '#shared/platform/health/ready.ts'
import { BackendHealth } from '#shared/platform/health/schema.ts'
import { queueProbe } from '#shared/platform/queues/probe.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { documentRoutes } from '../common/documents.ts'
import { type HasLooks, ready } from '../common/ready.ts'

export type Services = {
  looks: Record<'containers', TargetCheck> & HasLooks['looks']
  /** KILL_SWITCH. */
  provisioningDisabled: boolean
}

export const routes: readonly Route<Services>[] = [
  routesWith<Services>()({
    name: 'health.get',
    method: 'GET',
    path: '/health',
    summary: 'Get the health of the backend',
    description: 'Reports whether containers can run and whether provisioning is enabled.',
    tag: 'health',
    guard: 'none',
    unlimited: 'health',
    response: BackendHealth,
    errors: [],
    handle: ({ looks, provisioningDisabled, log }) =>
      backendHealth(looks.containers, provisioningDisabled, log),
  }),

  ready,

  ...documentRoutes,
]

export function wire(config: ConfigOf<'backend-system'>): Wiring<Services> {
  const table = openTable(config)
  return {
    services: {
      looks: checksOf({
        database: tableProbe(table),
        queues: queueProbe(config.queueUrl('provisioning'), config.SQS_ENDPOINT),
        containers: clusterProbe(config.CLUSTER, config.ECS_ENDPOINT),
        provider: createHealthCheck(createProviders(config)),
      }),
      provisioningDisabled: config.KILL_SWITCH,
    },
  }
}
