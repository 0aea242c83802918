import type { AgentConfig } from '../../agents/agent.ts'
import { lowerCap, readCap } from '../../money/cap.ts'
import type { Work } from './context.ts'

/**
 * The config of a restore point. Its spend cap counts as it is where who asked for the restore may raise caps; else the
 * lower of it and the agent's present one.
 * @param present the agent's spend cap now, or when it was deleted
 */
export function restoredConfig(
  { restore, given }: Pick<Work, 'restore' | 'given'>,
  present: unknown,
): AgentConfig {
  const { spendCapUsd: kept, ...config } = given.agent.config
  const cap = restore.mayRaiseCap ? readCap(kept) : lowerCap(readCap(present), readCap(kept))
  return { ...config, ...(cap !== undefined && { spendCapUsd: cap }) } as AgentConfig
}
