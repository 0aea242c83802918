import { platform, PlatformError } from './platform.ts'
import type { AgentItem } from './shapes.ts'

/** The person's agents, newest first. @throws PlatformError 401 when their session has ended */
export async function listAgents(signal: AbortSignal): Promise<AgentItem[]> {
  const { agents } = await platform.get<{ agents: AgentItem[] }>('/api/agents', { signal })
  if (agents.length > 0) return agents
  // The platform answers an empty list without a session too.
  const { user } = await platform.get<{ user: unknown }>('/api/auth/session', { signal })
  if (user === null) throw new PlatformError(401, 'Your session has ended')
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

/** Makes an agent and has it started. @returns its id */
export async function createAgent(name: string, model: string): Promise<string> {
  const { agent } = await platform.post<{ agent: { id: string } }>(
    '/api/agents/provision',
    { name, ...(model !== '' && { config: { model } }) },
    { headers: { 'idempotency-key': crypto.randomUUID() } },
  )
  return agent.id
}
