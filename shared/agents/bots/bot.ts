import { channels } from '#shared/manifest/channels.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import { agentGateway, type ReachContext } from '../agent-gateway/gateway.ts'
import type { Agent } from '../record/agent.ts'
import { namesOfSecrets } from '../record/config/seal.ts'
import { isRunning } from '../record/running.ts'
import type { BotChannel } from '../record/senders/read.ts'
import { botChannel, type SenderView, waitingSenders } from './schema.ts'

/** Returns the bot that a request names. @throws PlatformError 404 if the agent has no token for it */
export function requireBot(agent: Agent, channelId: string): BotChannel {
  const channel = botChannel.safeParse(channelId).data
  if (channel === undefined || !new Set<string>(namesOfSecrets(agent)).has(channels[channel].token))
    throw notFound('Channel')
  return channel
}

/**
 * Returns the senders who wait for a decision, as a running agent reports them. Returns an empty list for an agent that
 * is stopped or runs no bots.
 * @throws PlatformError as agentGateway
 */
export async function readWaiting(
  ctx: ReachContext,
  { agent, channel }: { agent: Agent; channel: BotChannel },
): Promise<SenderView[]> {
  if (!isRunning(agent)) return []
  const gateway = await agentGateway(ctx, agent)
  const response = await gateway.get(`/senders/${channel}`).catch((error: unknown) => {
    if (error instanceof PlatformError && error.kind === 'not-found') return { senders: [] }
    throw error
  })
  const read = waitingSenders.safeParse(response)
  if (!read.success)
    throw new PlatformError('bad-gateway', 'The agent’s answer cannot be read', {
      code: 'AGENT_FAILED',
      cause: read.error,
    })
  return read.data.senders.map(({ id, name, code }) => ({ id, name, state: 'pending', code }))
}
