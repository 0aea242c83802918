import type * as z from 'zod'
import type { Agent } from '#shared/agents/record/agent.ts'
import { namesOfSecrets } from '#shared/agents/record/config/seal.ts'
import type { AgentSetting } from '#shared/agents/record/context.ts'
import { agentUrls } from '#shared/agents/record/names.ts'
import { backendStatus } from '#shared/agents/record/status.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { channelAnswer } from './schema.ts'

/** Returns an agent in the format of POST /api/provision: the names of its channels, without their tokens. */
export function channelView(
  agent: Agent,
  { config }: Reads<AgentSetting>,
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
