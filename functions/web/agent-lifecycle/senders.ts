import { decideSender } from '#shared/agents/bots/decide-sender.ts'
import { listSenders } from '#shared/agents/bots/list-senders.ts'
import {
  channelParams,
  decidedSender,
  senderDecision,
  senderList,
  senderParams,
} from '#shared/agents/bots/schema.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentContext, AgentSetting } from '#shared/agents/record/context.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { isOfPlatform } from '#shared/conversations/channels/channel.ts'
import { configChannelId } from '#shared/conversations/channels/from-config/id.ts'
import { decideChannelSender } from '#shared/conversations/channels/senders/decide.ts'
import { listChannelSenders } from '#shared/conversations/channels/senders/list.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import { agentsLimit } from '../agents/limit.ts'

const route = routesWith<AgentContext & Reads<AgentSetting>>({ limits: [agentsLimit] })

/** Returns the channel of a request; `telegram` is the one of the agent's config. */
function channelIdOf(agent: Agent, channelId: string): string {
  return channelId === 'telegram' ? configChannelId(agent) : channelId
}

/** The routes for the senders of an agent's channels, and of the bots in its container. */
export const senderRoutes = [
  route({
    name: 'agents.senders.list',
    method: 'GET',
    path: '/api/agents/:id/channels/:channelId/senders',
    summary: 'List the senders of a channel',
    tag: 'agents',
    guard: 'session',
    params: channelParams,
    response: senderList,
    errors: ['unauthorized', 'not-found', 'too-many-requests', 'bad-gateway', 'timeout'],
    codes: ['AGENT_FAILED', 'AGENT_TIMEOUT', 'AGENT_UNREACHABLE'],
    handle: async (ctx, { params: { id, ...params } }) => {
      const agent = await requireAgent(ctx, { agentId: id, owner: ctx.owner })
      const channelId = channelIdOf(agent, params.channelId)
      const ref = { userId: ctx.owner, agentId: id, channelId }
      if (isOfPlatform(channelId)) return { senders: await listChannelSenders(ctx, ref) }
      const reach = { ...ctx, encryptionKey: ctx.config.WALLET_ENCRYPTION_KEY }
      return { senders: await listSenders(reach, { agent, channelId }) }
    },
  }),

  route({
    name: 'agents.senders.decide',
    method: 'POST',
    path: '/api/agents/:id/channels/:channelId/senders/:senderId',
    summary: 'Approve or block a sender of a channel',
    tag: 'agents',
    guard: 'session',
    params: senderParams,
    body: senderDecision,
    response: decidedSender,
    errors: ['bad-request', 'unauthorized', 'not-found', 'conflict', 'too-many-requests'],
    codes: ['SENDERS_FULL'],
    notAudited: 'changes who can chat with an agent’s bot, not access to the platform',
    handle: async (ctx, { params: { id, senderId, ...params }, body: { decision } }) => {
      const agent = await requireAgent(ctx, { agentId: id, owner: ctx.owner })
      const channelId = channelIdOf(agent, params.channelId)
      const ref = { userId: ctx.owner, agentId: id, channelId }
      if (isOfPlatform(channelId))
        return decideChannelSender(ctx, ref, { sender: senderId, decision })
      const reach = { ...ctx, encryptionKey: ctx.config.WALLET_ENCRYPTION_KEY }
      return decideSender(reach, { agent, channelId, sender: senderId, decision })
    },
  }),
]
