import type { PlanName } from '../plans/plans.ts'
import { newId } from '../platform/ids.ts'
import { type PlatformError } from '../platform/errors.ts'
import { refusalError, tryCommit } from '../platform/table/commit.ts'
import type { Item, Write } from '../platform/table/port.ts'
import { absent } from '../platform/table/present.ts'
import { newWatchdog } from '../watchdog/schema.ts'
import { type Agent, subdomainItem, toAgent, toItem } from './agent.ts'
import type { Lineage } from './record.ts'
import { locatorRows } from './rows.ts'
import { requireReachable } from './config/webhook.ts'
import { mergeConfig } from './config/merge.ts'
import type { ConfigChange } from './config/schema.ts'
import { sealChange } from './config/seal.ts'
import type { AgentServices } from './context.ts'
import { subdomainFor } from './names.ts'
import { countRefused, countUp, type Owner } from './owner.ts'

/** What a new agent is made from. */
export interface AgentDraft {
  name: string
  model: string
  plan: PlanName
  aiProvider: string
  config: ConfigChange
  /** Of a clone. */
  lineage?: Lineage
  /** It is to run from the beginning. */
  running: boolean
}

/** A row that is written with the agent or not at all, and what is said where it is there already. */
export interface Condition {
  write(agentId: string): Write
  refused: () => PlatformError
}

/**
 * Writes a new agent, its locator and its owner's count in one transaction. With the same seed it is made once: a
 * repeat answers what the first try made.
 * @param owner undefined for one that the platform itself makes
 * @throws PlatformError 503 where its config holds secrets and there is no key to seal them
 * @throws 402 where the owner must pay and does not, and what `refuse` makes of a limit that is reached
 */
export async function insertAgent(
  ctx: Pick<AgentServices, 'table' | 'config'>,
  owner: Owner | undefined,
  draft: AgentDraft,
  seed: string,
  refuse: (current: number, limit: number) => PlatformError,
  condition?: Condition,
): Promise<Agent> {
  const { table } = ctx
  requireReachable(ctx, draft.config)
  const agent = await newAgent(ctx, owner?.userId ?? null, draft, seed)
  const agentId = agent.id
  const locator = locatorRows.put({ agentId }, { userId: agent.userId })
  const refusals = await tryCommit(table, {
    agent: { put: toItem(agent), ...absent() },
    locator: { put: locator, ...absent() },
    count: owner && countUp(table, owner),
    subdomain: { put: subdomainItem(agent), ...absent() },
    condition: condition?.write(agentId),
  })
  if (refusals === undefined) return agent
  if (refusals.agent?.item !== undefined) return toAgent(refusals.agent.item)
  throw refusalError(refusals, {
    ...(condition !== undefined && { condition: condition.refused }),
    ...(owner !== undefined && {
      count: (row: Item | undefined) => countRefused(owner, row, refuse),
    }),
  })
}

async function newAgent(
  ctx: Pick<AgentServices, 'config'>,
  userId: string | null,
  { running, config: given, ...draft }: AgentDraft,
  seed: string,
): Promise<Agent> {
  const now = new Date()
  const id = newId('agent', seed)
  const change = await sealChange(ctx, { id, config: {} }, given)
  const agent: Agent = {
    ...draft,
    id,
    userId,
    config: {},
    subdomain: subdomainFor(draft.name, id),
    image: ctx.config.AGENT_IMAGE,
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
  const { config, secrets } = mergeConfig(agent, change)
  return { ...agent, config, secrets }
}
