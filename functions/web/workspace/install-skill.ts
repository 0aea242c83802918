import { pushWorkspace } from '../../../shared/agents/workspace/push.ts'
import { installSkill } from '../../../shared/skills/install.ts'
import { skillAnswers, skillOfAgent } from '../../../shared/skills/schema.ts'
import { route } from './services.ts'

export const postSkill = route({
  method: 'POST',
  path: '/api/skills',
  summary: 'Install a skill into an agent, or bring it up to date',
  tag: 'skills',
  guard: 'session',
  body: skillOfAgent,
  response: skillAnswers.changed,
  errors: ['bad-request', 'unauthorized', 'payment-required', 'not-found'],
  handle: async (context, { body }) => {
    const agent = await installSkill(context.table, context.actor.user, body)
    return {
      success: true as const,
      installed: true,
      deployed: await pushWorkspace(context, agent),
    }
  },
})
