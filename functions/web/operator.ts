import type { HasModels } from '#shared/ai/gateway/context.ts'
import { createCatalogue } from '#shared/ai/gateway/models/catalogue.ts'
import { createProviders } from '#shared/ai/gateway/providers/provider.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import { pageOfAgents } from '#shared/operations/tools/agents.ts'
import { enterOperation } from '#shared/operations/tools/enter.ts'
import { pageOfIncidents } from '#shared/operations/tools/incidents.ts'
import { answeringProviders } from '#shared/operations/tools/providers.ts'
import { queueDepths, type QueuesToWatch } from '#shared/operations/tools/queues.ts'
import { redriveQueue } from '#shared/operations/tools/redrive.ts'
import * as schemas from '#shared/operations/tools/schema.ts'
import { pageOfUsers } from '#shared/operations/tools/users.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { type Redrive, queueRedrive } from '#shared/platform/queues/redrive.ts'
import { userGroup } from '../common/user-group.ts'
import { watchedQueues } from '../common/watched-queues.ts'

export type Services = Pick<Context, 'table'> &
  Can<'adminEmails'> &
  HasModels & { watchedQueues: QueuesToWatch; redrive: Redrive }

const route = routesWith<Services>()

/** The handler rejects all keys, even those with all scopes. */
const operators = { tag: 'operator', guard: 'session', scope: 'any' } as const

export const routes = [
  route({
    ...operators,
    name: 'operator.agents.list',
    method: 'GET',
    path: '/api/operator/agents',
    summary: 'List agents of all users',
    description: 'Newest first, with status and health.',
    query: schemas.agentListQuery,
    response: schemas.agentList,
    errors: ['bad-request', 'unauthorized', 'forbidden'],
    codes: ['ADMIN_REQUIRED'],
    audits: ['operator.agents'],
    handle: async (context, { query }) => {
      await enterOperation(context, { view: 'agents', asked: query })
      return pageOfAgents(context, query)
    },
  }),

  route({
    ...operators,
    name: 'operator.incidents.list',
    method: 'GET',
    path: '/api/operator/incidents',
    summary: 'List watchdog incidents of all users',
    description: 'Newest first.',
    query: schemas.incidentListQuery,
    response: schemas.incidentList,
    errors: ['bad-request', 'unauthorized', 'forbidden'],
    codes: ['ADMIN_REQUIRED'],
    audits: ['operator.incidents'],
    handle: async (context, { query }) => {
      await enterOperation(context, { view: 'incidents', asked: query })
      return pageOfIncidents(context, query)
    },
  }),

  route({
    ...operators,
    name: 'operator.queues.list',
    method: 'GET',
    path: '/api/operator/queues',
    summary: 'List queues with message counts',
    description: 'Counts are approximate.',
    response: schemas.depthList,
    errors: ['unauthorized', 'forbidden'],
    codes: ['ADMIN_REQUIRED'],
    audits: ['operator.queues'],
    handle: async (context) => {
      await enterOperation(context, { view: 'queues' })
      const { queues } = await queueDepths(context.watchedQueues)
      return {
        queues: queues.map(({ name, waiting, dead }) => ({ name, waiting, dead, oldestAt: null })),
      }
    },
  }),

  route({
    ...operators,
    name: 'operator.queues.redrive',
    method: 'POST',
    path: '/api/operator/queues/:name/redrive',
    summary: 'Redrive the dead-letter queue of a queue',
    params: schemas.queueParams,
    response: schemas.redriven,
    errors: ['unauthorized', 'forbidden', 'not-found'],
    codes: ['ADMIN_REQUIRED'],
    audits: ['operator.redrive'],
    handle: async (context, { params }) => {
      const { name } = params
      await enterOperation(context, { view: 'redrive', target: name })
      return redriveQueue(context, { name })
    },
  }),

  route({
    ...operators,
    name: 'operator.users.list',
    method: 'GET',
    path: '/api/operator/users',
    summary: 'List users with their plans',
    description: 'Newest first.',
    query: schemas.userQuery,
    response: schemas.userPage,
    errors: ['bad-request', 'unauthorized', 'forbidden'],
    codes: ['ADMIN_REQUIRED'],
    audits: ['operator.users'],
    handle: async (context, { query }) => {
      await enterOperation(context, { view: 'users', asked: query })
      return pageOfUsers(context, query)
    },
  }),

  route({
    ...operators,
    name: 'operator.providers.list',
    method: 'GET',
    path: '/api/operator/providers',
    summary: 'List model providers and their availability',
    response: schemas.providerList,
    errors: ['unauthorized', 'forbidden'],
    codes: ['ADMIN_REQUIRED'],
    audits: ['operator.providers'],
    handle: async (context) => {
      await enterOperation(context, { view: 'providers' })
      return answeringProviders(context)
    },
  }),
]

export function wire(config: ConfigOf<'web-operator'>): Wiring<Services> {
  const redrive = queueRedrive(config.SQS_ENDPOINT)
  const providers = createProviders(config)
  const catalogue = createCatalogue(providers)
  const { ADMIN_EMAILS: adminEmails } = config
  return userGroup<Services>(config, (table) => ({
    table,
    watchedQueues: watchedQueues(config),
    redrive,
    providers,
    catalogue,
    adminEmails,
  }))
}
