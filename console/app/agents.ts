import type { Agent } from '../../clients/typescript/index.ts'
import { platform } from './platform.ts'
import { checkSession } from './session.ts'

/** The person's agents, newest first. @throws PlatformError 401 when their session has ended */
export async function listAgents(signal: AbortSignal): Promise<Agent[]> {
  const agents = await platform.agents.list({ signal })
  if (agents.length > 0) return agents
  // The platform answers an empty list without a session too.
  await checkSession(signal)
  return agents
}

/** Milliseconds until a state is looked at again: soon while it is about to change by itself. */
export function lookAgainIn(states: readonly string[]): number {
  return states.some((state) => state === 'pending' || state === 'provisioning') ? 2000 : 12_000
}

/** Where an agent's page is. */
export function agentPath(id: string, tab = ''): string {
  return `/agents/${encodeURIComponent(id)}${tab === '' ? '' : `/${tab}`}`
}
