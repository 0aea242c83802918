import type * as z from 'zod'
import type { Agent } from '#shared/agents/record/agent.ts'
import { setCredential } from '#shared/agents/record/credentials/set.ts'
import { pushNow } from '#shared/agents/workspace/push-now.ts'
import { createSession } from '#shared/agents/workspace/sessions/read.ts'
import { switchSkill } from '#shared/agents/workspace/skills/switch.ts'
import { idPrefixes } from '#shared/manifest/ids.ts'
import { notFound } from '#shared/platform/errors.ts'
import { newId } from '#shared/platform/ids.ts'
import { chooseAgent } from '../chat/choose-agent.ts'
import { type ChatContext, converseWhole } from '../chat/converse.ts'
import type { actionAnswer, AgentAction } from './schema.ts'

type Answer = z.input<typeof actionAnswer>

/**
 * Carries out an action on a user's agent.
 * @throws PlatformError 404 for an unknown agent or skill, 400 CREDENTIALS_FULL, and the errors of turns and of the
 * gateway: chat/converse.ts, agent-gateway/gateway.ts
 */
export async function actOnAgent(ctx: ChatContext, action: AgentAction): Promise<Answer> {
  const agent = await chooseAgent(ctx, { agentId: action.agentId })
  if (agent === undefined) throw notFound('Agent')
  switch (action.action) {
    case 'chat':
      return chat(ctx, agent, action)
    case 'create-session':
      return { sessionId: await createSession(ctx, { agent }), status: 'created' }
    case 'update-skill': {
      const { skillId, enabled } = action
      const deployed = await pushNow(ctx, { agent: await switchSkill(ctx, { ...action, agent }) })
      return { success: true, skillId, enabled, deployed }
    }
    case 'set-credential':
      await setCredential(ctx, { ...action, agent })
      return { success: true, key: action.key, saved: action.value !== null }
  }
}

/** Runs a turn. Without a session it creates one, whose id is in the response. */
async function chat(
  ctx: ChatContext,
  agent: Agent,
  {
    message,
    sessionId = newId(idPrefixes.session, ctx.seed),
  }: Extract<AgentAction, { action: 'chat' }>,
): Promise<Answer> {
  const turn = { message, agentId: agent.id, topic: sessionId, stream: false }
  const { reply, timestamp } = await converseWhole(ctx, turn)
  return { sessionId, reply, timestamp }
}
