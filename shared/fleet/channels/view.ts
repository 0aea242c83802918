import type * as z from 'zod'
import type { Agent } from '../../agents/agent.ts'
import { namesOfSecrets } from '../../agents/config/seal.ts'
import type { AgentServices } from '../../agents/context.ts'
import { agentUrls } from '../../agents/names.ts'
import { backendStatus } from '../../agents/status.ts'
import type { channelAnswer } from './schema.ts'

/** Returns an agent in the format of POST /api/provision: which channels it has, without their tokens. */
export function channelView(
  agent: Agent,
  { config }: Pick<AgentServices, 'config'>,
): z.input<typeof channelAnswer> {
  const { id, userId, aiProvider, plan, subdomain, createdAt } = agent
  const names = new Set(namesOfSecrets(agent))
  return {
    success: true,
    userId: userId ?? '',
    agentId: id,
    aiProvider,
    plan,
    subdomain,
    url: agentUrls(subdomain, config).url,
    status: backendStatus(agent.status),
    createdAt,
    channels: {
      telegram: names.has('telegramToken'),
      discord: names.has('discordBotToken'),
      whatsapp: names.has('whatsappToken'),
    },
  }
}
