import { requireAgent } from '../../../shared/agents/find.ts'
import { agentParams } from '../../../shared/agents/schema.ts'
import { verificationView } from '../../../shared/agents/verification/schema.ts'
import { showVerification } from '../../../shared/agents/verification/verification.ts'
import { route } from './services.ts'

export const getVerification = route({
  method: 'GET',
  path: '/api/agents/:id/verify',
  summary: 'Who stands behind one of the caller’s agents, where that was proven',
  tag: 'agents',
  guard: 'session',
  params: agentParams,
  response: verificationView,
  errors: ['unauthorized', 'not-found', 'too-many-requests'],
  handle: async ({ table, actor }, { params }) =>
    showVerification(await requireAgent(table, params.id, actor.user.id)),
})
