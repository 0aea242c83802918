import { requireAgent } from '../../../shared/agents/find.ts'
import { logParams, logsStopped } from '../../../shared/logs/schema.ts'
import { stopStreams } from '../../../shared/logs/stream.ts'
import { route } from './services.ts'

export const stopLogs = route({
  method: 'POST',
  path: '/api/logs/:agentId/stop',
  summary: 'End every stream of an agent’s log; the agent goes on',
  tag: 'logs',
  guard: 'internal',
  params: logParams,
  response: logsStopped,
  errors: ['unauthorized', 'forbidden', 'not-found'],
  handle: async ({ table, actor }, { params }) => {
    const { id } = await requireAgent(table, params.agentId, actor.userId)
    await stopStreams(table, id)
    return { success: true as const }
  },
})
