import type { AgentConfig } from '#shared/agents/record/agent.ts'
import { capsIn, lowerCap, readCap } from '#shared/money/amounts/cap.ts'
import type { RestoreWork } from './context.ts'

/**
 * Returns the config of a restore point. If the caller may not raise caps, each of its spend caps is the lower one of
 * the restore point's and the agent's current cap.
 * @param present the agent's spend caps now, or when it was deleted
 */
export function restoredConfig(
  { restore, content }: Pick<RestoreWork, 'restore' | 'content'>,
  present: Readonly<Record<string, unknown>>,
): AgentConfig {
  const { spendCapUsd: _month, spendCapUsdPerDay: _day, ...config } = content.agent.config
  const caps = capsIn(content.agent.config, (cap, name) =>
    restore.mayRaiseCap ? cap : lowerCap(readCap(present[name]), cap),
  )
  return { ...config, ...caps } as AgentConfig
}
