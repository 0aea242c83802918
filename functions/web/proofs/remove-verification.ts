import { requireAgent } from '../../../shared/agents/find.ts'
import { agentParams } from '../../../shared/agents/schema.ts'
import { verificationRemoved } from '../../../shared/agents/verification/schema.ts'
import { removeVerification as remove } from '../../../shared/agents/verification/verify.ts'
import { route } from './services.ts'

export const removeVerification = route({
  method: 'DELETE',
  path: '/api/agents/:id/verify',
  summary: 'Forget who stands behind one of the caller’s agents',
  tag: 'agents',
  guard: 'session',
  params: agentParams,
  response: verificationRemoved,
  errors: ['unauthorized', 'not-found', 'too-many-requests'],
  handle: async ({ table, actor }, { params }) => {
    await remove(table, await requireAgent(table, params.id, actor.user.id))
    return { success: true as const }
  },
})
