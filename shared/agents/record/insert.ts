import type { PlanName } from '#shared/money/plans/plans.ts'
import { awakeLimit } from '#shared/money/plans/tiers.ts'
import { type PlatformError } from '#shared/platform/errors.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import { newId } from '#shared/platform/ids.ts'
import { type Part, refusalError, tryCommit } from '#shared/platform/table/commit.ts'
import type { Item, Write } from '#shared/platform/table/port.ts'
import { newWatchdog } from '../watchdog/schema.ts'
import { type Agent, toAgent } from './agent.ts'
import { createdAsleep, commitAwake } from './awake.ts'
import { hasOwnBot } from './config/channels.ts'
import { mergeConfig } from './config/merge.ts'
import type { ConfigChange } from './config/schema.ts'
import { sealChange } from './config/seal.ts'
import { requireReachable } from './config/webhook.ts'
import type { AgentContext, AgentSetting, ChangeAuthor } from './context.ts'
import { authorOf } from './events/author.ts'
import { eventWrites } from './events/write.ts'
import { platformsImage } from './image/platforms.ts'
import { subdomainFor } from './names.ts'
import { countRefused, countAgentUp, type Owner } from './owner.ts'
import type { Lineage } from './record.ts'
import { agentRows } from './rows.ts'
import { placeOf } from './watch/place.ts'
import { newAgentParts } from './watch/write.ts'

/** The input for a new agent. */
interface AgentDraft {
  name: string
  model: string
  plan: PlanName
  aiProvider: string
  config: ConfigChange
  /** Set for a clone. */
  lineage?: Lineage
  /** True if it should start immediately. */
  running: boolean
}

/** The payment for an agent: a row that is written in the same transaction, and its audit entry. */
export interface AgentPayment {
  write(agentId: string): Write
  audit(agentId: string): Promise<Part>
  /** Makes the error if the row already exists. */
  refused: () => PlatformError
}

export interface NewAgentInput {
  /** Undefined for an agent of the platform itself. */
  owner: Owner | undefined
  draft: AgentDraft
  /** Makes the error if the limit is reached. */
  refuse: (current: number, limit: number) => PlatformError
  payment?: AgentPayment
}

/**
 * Creates an agent with its locator and its owner's counter in one transaction. The same seed creates it once: a retry
 * returns the first result. If the owner's plan allows no more awake agents, a new agent that should run is created
 * asleep; an agent whose container runs a bot is rejected, because nothing would wake it.
 * @throws PlatformError 503 if its config contains secrets and there is no key to encrypt them
 * @throws 402 if the owner must pay and does not, 402 AWAKE_LIMIT_REACHED, and the error of `refuse` if a limit is
 * reached
 */
export async function insertAgent(
  ctx: Reads<AgentSetting> & Pick<AgentContext, 'table' | 'log'> & ChangeAuthor & { seed: string },
  { owner, draft, refuse, payment }: NewAgentInput,
): Promise<Agent> {
  const { table } = ctx
  requireReachable(ctx, draft.config)
  const draftAgent = await newAgent(ctx, owner?.userId ?? null, draft)
  const agentId = draftAgent.id
  let agent = draftAgent
  const limit = draft.running && owner?.mustPay ? awakeLimit(owner.payer, ctx.config) : undefined
  let full: PlatformError | undefined
  const refusals = await commitAwake(table, { agent, limit }, async (room) => {
    const mayWait = !hasOwnBot(draftAgent)
    full = mayWait ? undefined : room?.full
    agent = mayWait && room?.full !== undefined ? createdAsleep(draftAgent) : draftAgent
    return tryCommit(table, {
      ...newAgentParts(agent),
      room: agent.asleep ? undefined : room?.write,
      count: owner && countAgentUp(table, owner),
      event: createdWrite(ctx, agent),
      payment: payment?.write(agentId),
      paymentAudit: await payment?.audit(agentId),
    })
  })
  if (refusals === undefined) return agent
  if (refusals.agent?.item !== undefined) return toAgent(refusals.agent.item)
  throw refusalError(refusals, {
    ...(payment !== undefined && { payment: payment.refused }),
    ...(owner !== undefined && {
      count: (row: Item | undefined) => countRefused(owner, row, refuse),
    }),
    room: () => full,
  })
}

function createdWrite(author: ChangeAuthor, agent: Agent): Write | undefined {
  const happenings = [{ kind: 'created' as const, text: 'Created' }]
  const now = Date.parse(agent.createdAt)
  return eventWrites(agent, { happenings, by: authorOf(author, agent), now })[0]
}

async function newAgent(
  ctx: Reads<AgentSetting> & { seed: string },
  userId: string | null,
  { running, config: draftConfig, ...draft }: AgentDraft,
): Promise<Agent> {
  const now = new Date()
  const id = newId(agentRows.id, ctx.seed)
  const change = await sealChange(ctx, { id, config: {} }, draftConfig)
  const agent: Agent = {
    ...draft,
    id,
    userId,
    config: {},
    subdomain: subdomainFor(draft.name, id),
    image: platformsImage(ctx.config, id),
    status: running ? 'provisioning' : 'pending',
    desired: running ? 'running' : 'stopped',
    generation: running ? 1 : 0,
    revision: 1,
    tokenVersion: 1,
    located: true,
    sleepsByDefault: true,
    watchdog: newWatchdog(now.getTime()),
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
  }
  const { config, secrets, sleepsByDefault } = mergeConfig(agent, change)
  return { ...agent, config, secrets, sleepsByDefault, watched: placeOf(agent) }
}
