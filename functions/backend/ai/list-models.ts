import { callerOf, requirePlan } from '../../../shared/ai/caller.ts'
import { listModels } from '../../../shared/ai/models/list.ts'
import { billingOf } from './billing.ts'
import { modelList } from './schema.ts'
import { route } from './services.ts'

export const getModels = route({
  method: 'GET',
  path: '/v1/models',
  summary: 'The models that the caller may ask for by name',
  tag: 'ai',
  guard: 'internal-user-or-agent',
  headers: ['x-user-plan', 'x-billing-subscription-id', 'x-user-email'],
  response: modelList,
  errorForm: 'openai',
  errors: ['unauthorized', 'payment-required', 'unavailable'],
  handle: async (context) => {
    const { adminEmails, actor, request } = context
    const caller = callerOf(adminEmails, actor, billingOf(request))
    const models = await listModels(context, requirePlan(caller))
    const data = models.map(({ id, created, ownedBy }) => ({
      id,
      object: 'model' as const,
      created,
      owned_by: ownedBy,
    }))
    return { object: 'list' as const, data }
  },
})
