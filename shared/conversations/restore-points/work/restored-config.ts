import type { AgentConfig } from '#shared/agents/record/agent.ts'
import { lowerCap, readCap } from '#shared/money/amounts/cap.ts'
import type { RestoreWork } from './context.ts'

/**
 * Returns the config of a restore point. If the caller may not raise caps, its spend cap is the lower one of the
 * restore point's and the agent's current cap.
 * @param present the agent's spend cap now, or when it was deleted
 */
export function restoredConfig(
  { restore, content }: Pick<RestoreWork, 'restore' | 'content'>,
  present: unknown,
): AgentConfig {
  const { spendCapUsd: snapshotCap, ...config } = content.agent.config
  const cap = restore.mayRaiseCap
    ? readCap(snapshotCap)
    : lowerCap(readCap(present), readCap(snapshotCap))
  return { ...config, ...(cap !== undefined && { spendCapUsd: cap }) } as AgentConfig
}
