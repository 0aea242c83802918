import type { Agent } from '../../clients/typescript/index.ts'
import { platform } from './platform.ts'
import { checkSession } from './session.ts'

/**
 * Lists the user's agents, newest first.
 * @throws PlatformError 401 if the session has ended
 */
export async function listAgents(signal: AbortSignal): Promise<Agent[]> {
  const agents = await platform.agents.list({ signal })
  if (agents.length > 0) return agents
  // Without a session, the platform returns an empty list instead of an error.
  await checkSession(signal)
  return agents
}

/** Returns the polling interval in milliseconds. Short while a state is about to change. */
export function pollInterval(states: readonly string[]): number {
  return states.some((state) => state === 'pending' || state === 'provisioning') ? 2000 : 12_000
}

/** Returns the path of an agent's page. */
export function agentPath(id: string, tab = ''): string {
  return `/agents/${encodeURIComponent(id)}${tab === '' ? '' : `/${tab}`}`
}
