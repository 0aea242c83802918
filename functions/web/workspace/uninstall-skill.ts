import { isRunning } from '../../../shared/agents/activity/running.ts'
import { pushWorkspace } from '../../../shared/agents/workspace/push.ts'
import { skillAnswers, skillOfAgent } from '../../../shared/skills/schema.ts'
import { uninstallSkill } from '../../../shared/skills/uninstall.ts'
import { route } from './services.ts'

export const deleteSkill = route({
  method: 'DELETE',
  path: '/api/skills',
  summary: 'Take a skill out of an agent',
  tag: 'skills',
  guard: 'session',
  body: skillOfAgent,
  response: skillAnswers.changed,
  errors: ['bad-request', 'unauthorized', 'not-found'],
  handle: async (context, { body }) => {
    const agent = await uninstallSkill(context.table, context.actor.user.id, body)
    const told = await pushWorkspace(context, agent)
    return { success: true as const, installed: false, deployed: isRunning(agent) && !told }
  },
})
