import type * as z from 'zod'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Agent } from './agent.ts'
import { sleepAfter } from './config/sleep.ts'
import { warningsOf } from './config/warnings.ts'
import type { AgentSetting } from './context.ts'
import { runtimeVersion } from './image/last-image.ts'
import { agentUrls } from './names.ts'
import type { agentAnswers, webAgentAnswers } from './schema.ts'
import { backendStatus } from './status.ts'
import { showVerification } from './verification/verification.ts'

type Addressing = Reads<AgentSetting>

/** Returns an agent in the backend surface's format, with the fields of all its responses. */
export function backendView(
  agent: Agent,
  { config }: Addressing,
): z.input<typeof agentAnswers.listItem> &
  z.input<typeof agentAnswers.created> &
  z.input<typeof agentAnswers.detail> & { aiProvider: string } {
  const { id, name, plan, aiProvider, subdomain, createdAt, watchdog } = agent
  return {
    id,
    agentId: id,
    name,
    plan,
    aiProvider,
    subdomain,
    watchdog,
    status: backendStatus(agent.status),
    url: agentUrls(subdomain, config).url,
    created: createdAt,
    createdAt,
    startedAt: agent.startedAt ?? null,
    runtimeVersion: runtimeVersion(agent),
    ...showVerification(agent),
  }
}

/** Returns an agent in the web surface's format. */
export function webView(
  agent: Agent,
  { config }: Addressing,
): z.input<typeof webAgentAnswers.detail>['agent'] {
  const { id, name, model, status, plan, subdomain, createdAt, updatedAt, watchdog } = agent
  return {
    id,
    name,
    model,
    status,
    plan,
    subdomain,
    createdAt,
    updatedAt,
    watchdog,
    ...agentUrls(subdomain, config),
    runtimeVersion: runtimeVersion(agent),
    startedAt: agent.startedAt ?? null,
    sleepAfterMinutes: sleepAfter(agent) ?? null,
    stopReason: agent.stopReason ?? null,
    ...(agent.pinnedImage !== undefined && {
      ownImage: {
        image: agent.pinnedImage,
        changedAt: agent.imageChange?.at ?? null,
        changedBy: agent.imageChange?.by ?? null,
      },
    }),
    ...warningsOf(agent, { config }),
  }
}
