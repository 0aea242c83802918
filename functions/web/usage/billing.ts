import { actOnBilling } from '../../../shared/billing/act.ts'
import { billingOverview } from '../../../shared/billing/overview.ts'
import { actionAnswer, billingAction, billingAnswer } from '../../../shared/billing/schema.ts'
import { route } from './services.ts'

const path = '/api/billing'

export const getBilling = route({
  method: 'GET',
  path,
  summary: 'The plans on offer, and the caller’s own plan and usage',
  tag: 'billing',
  guard: 'session',
  response: billingAnswer,
  errors: ['unauthorized', 'not-found'],
  handle: ({ table, actor }) => billingOverview(table, actor.user),
})

export const postBilling = route({
  method: 'POST',
  path,
  summary: 'Pay for a plan or credits, use a provider key of one’s own, or see the usage',
  tag: 'billing',
  guard: 'session',
  body: billingAction,
  response: actionAnswer,
  errors: ['bad-request', 'unauthorized', 'not-found', 'unavailable'],
  handle: (context, { body }) => actOnBilling(context, context.actor.user, body),
})
