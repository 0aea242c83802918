import { routesWith } from '../../shared/http/route.ts'
import type { BillingServices } from '../../shared/billing/context.ts'
import { costDashboard } from '../../shared/dashboard/cost.ts'
import { costAnswer, costQuery } from '../../shared/dashboard/schema.ts'
import { metricsOverview } from '../../shared/metrics/overview.ts'
import { overviewAnswer } from '../../shared/metrics/schema.ts'
import { getCredits } from '../../shared/credits/get.ts'
import { creditLedger } from '../../shared/credits/ledger.ts'
import { creditsAnswer, ledgerAnswer, ledgerQuery } from '../../shared/credits/schema.ts'
import { actOnBilling } from '../../shared/billing/act.ts'
import { billingOverview } from '../../shared/billing/overview.ts'
import { actionAnswer, billingAction, billingAnswer } from '../../shared/billing/schema.ts'
import { checkScope } from '../../shared/http/guards/scope.ts'
import * as z from 'zod'
import { PlatformError } from '../../shared/platform/errors.ts'
import { writeTestUsage } from '../../shared/usage/write-test.ts'
import { ownKeyProviders } from '../../shared/billing/providers.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { userGroup } from '../common/user-group.ts'

export interface UsageServices extends BillingServices {
  /** On AWS, where what is only for trying things out is closed. */
  deployed: boolean
}

const route = routesWith<UsageServices>()

const path = '/api/billing'

/** How a caller without a session is named. */
const anonymous = 'anonymous'

export const routes = [
  route({
    name: 'usage.cost',
    method: 'GET',
    path: '/api/dashboard/cost',
    summary: 'What the caller’s agents cost, by agent, day and model',
    tag: 'usage',
    guard: 'session',
    query: costQuery,
    response: costAnswer,
    errors: ['bad-request', 'unauthorized', 'internal'],
    handle: (context, { query }) => costDashboard(context, query),
  }),

  route({
    name: 'usage.metrics',
    method: 'GET',
    path: '/api/metrics',
    summary: 'Figures of the caller’s agents, messages and calls',
    tag: 'metrics',
    guard: 'session',
    response: overviewAnswer,
    errors: ['unauthorized'],
    handle: (context) => metricsOverview(context),
  }),

  route({
    name: 'billing.credits',
    method: 'GET',
    path: '/api/credits',
    summary: 'The caller’s credits and referral code',
    tag: 'billing',
    guard: 'session',
    response: creditsAnswer,
    errors: ['unauthorized', 'not-found'],
    handle: (context) => getCredits(context),
  }),

  route({
    name: 'billing.credits.ledger',
    method: 'GET',
    path: '/api/credits/ledger',
    summary: 'Every change of the caller’s credits, newest first',
    tag: 'billing',
    guard: 'session',
    query: ledgerQuery,
    response: ledgerAnswer,
    errors: ['bad-request', 'unauthorized', 'not-found'],
    handle: (context, { query }) => creditLedger(context, query),
  }),

  route({
    name: 'billing.get',
    method: 'GET',
    path,
    summary: 'The plans on offer, and the caller’s own plan and usage',
    tag: 'billing',
    guard: 'session',
    response: billingAnswer,
    errors: ['unauthorized', 'not-found'],
    handle: (context) => billingOverview(context),
  }),

  route({
    name: 'billing.act',
    method: 'POST',
    path,
    summary: 'Pay for a plan or credits, use a provider key of one’s own, or see the usage',
    tag: 'billing',
    guard: 'session',
    scope: 'any',
    body: billingAction,
    response: actionAnswer,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'unavailable'],
    codes: ['SCOPE_REQUIRED'],
    audits: ['byok.enabled', 'byok.disabled'],
    handle: (context, { body }) => {
      // One route for all of them: a key that reads may see the usage, and none but an admin's pays.
      const scope = body.action === 'get-usage' ? 'read' : 'admin'
      checkScope(context.actor, { method: 'POST', scope })
      return actOnBilling(context, body)
    },
  }),

  route({
    name: 'usage.writeTest',
    method: 'POST',
    path: '/api/test-usage',
    summary: 'Write one test row of usage; where the platform is deployed, for administrators only',
    tag: 'usage',
    guard: 'optional-session',
    response: z.object({ status: z.literal('ok'), message: z.string(), timestamp: z.string() }),
    errors: ['forbidden', 'internal'],
    codes: ['ADMIN_REQUIRED'],
    notAudited: 'writes and removes a test row',
    handle: async (context) => {
      const { actor, deployed } = context
      const user = actor.type === 'user' ? actor.user : undefined
      if (deployed && user?.isAdmin !== true)
        throw new PlatformError('forbidden', 'Admin access required', { code: 'ADMIN_REQUIRED' })
      const { createdAt } = await writeTestUsage(context, { userId: user?.id ?? anonymous })
      return { status: 'ok' as const, message: 'Test usage row written', timestamp: createdAt }
    },
  }),
]

export function wire(config: ConfigOf<'web-usage'>) {
  return userGroup<UsageServices>(config, (table) => ({
    table,
    deployed: config.deployed,
    encryptionKey: config.WALLET_ENCRYPTION_KEY,
    byokProviders: ownKeyProviders(config),
  }))
}
