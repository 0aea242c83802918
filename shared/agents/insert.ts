import type { PlanName } from '../plans/plans.ts'
import { newId } from '../platform/ids.ts'
import { type PlatformError } from '../platform/errors.ts'
import { TransactionFailed } from '../platform/table/port.ts'
import { newWatchdog } from '../watchdog/schema.ts'
import { type Agent, type AgentConfig, locatorKey, subdomainItem, toAgent, toItem } from './agent.ts'
import { withoutConflicts } from '../platform/table/conflict.ts'
import type { AgentServices } from './context.ts'
import { subdomainFor } from './names.ts'
import { countUp, type Owner } from './owner.ts'

/** What a new agent is made from. */
export interface AgentDraft {
  name: string
  model: string
  plan: PlanName
  aiProvider: string
  config: AgentConfig
  /** It is to run from the beginning. */
  running: boolean
}

/**
 * Writes a new agent, its locator and its owner's count in one transaction. With the same seed it is made once: a
 * repeat answers what the first try made.
 * @param owner undefined for one that the platform itself makes
 * @throws what `refuse` makes of a limit that is reached
 */
export async function insertAgent(
  { table, config }: Pick<AgentServices, 'table' | 'config'>,
  owner: Owner | undefined,
  draft: AgentDraft,
  seed: string,
  refuse: (current: number, limit: number) => PlatformError,
): Promise<Agent> {
  const agent = newAgent(owner?.userId ?? null, draft, seed, config.AGENT_IMAGE)
  const fresh = { if: 'attribute_not_exists(pk)' }
  const writes = [
    { put: toItem(agent), ...fresh },
    { put: { ...locatorKey(agent.id), userId: agent.userId }, ...fresh },
    ...(owner === undefined ? [] : [countUp(table, owner)]),
    { put: subdomainItem(agent), ...fresh },
  ]
  try {
    await withoutConflicts(() => table.transact(writes))
    return agent
  } catch (error) {
    if (!(error instanceof TransactionFailed)) throw error
    const first = error.refused(0) ? error.reasons[0]?.item : undefined
    if (first !== undefined) return toAgent(first)
    if (owner === undefined || !error.refused(2)) throw error
    throw refuse(Number(error.reasons[2]?.item?.agentCount ?? 0), owner.limit)
  }
}

function newAgent(
  userId: string | null,
  { running, ...draft }: AgentDraft,
  seed: string,
  image: string,
): Agent {
  const now = new Date()
  const id = newId('agent', seed)
  return {
    ...draft,
    id,
    userId,
    subdomain: subdomainFor(draft.name, id),
    image,
    status: running ? 'provisioning' : 'pending',
    desired: running ? 'running' : 'stopped',
    generation: running ? 1 : 0,
    revision: 1,
    tokenVersion: 1,
    located: true,
    watchdog: newWatchdog(now.getTime()),
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  }
}
