import type { Agent } from '#shared/agents/record/agent.ts'
import { isChannelDue } from '#shared/agents/record/watch/channel-due.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import { channelSetUps } from './topic.ts'

/**
 * Requests that an agent's channel for Telegram gets the token of its config, if it lacks it. The watchdog's tick finds
 * the agent again if the message is lost.
 */
export async function askForChannel(
  { queues }: Sends<'channel-set-ups'>,
  agent: Agent,
): Promise<void> {
  const { id: agentId, userId } = agent
  if (userId !== null && isChannelDue(agent)) await queues.send(channelSetUps, { userId, agentId })
}
