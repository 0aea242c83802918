import { findUser, isAdmin } from '#shared/accounts/users/user.ts'
import { startAgent } from '#shared/agents/fleet/lifecycle/start.ts'
import { type Agent, agentKey, ownerOf, toAgent } from '#shared/agents/record/agent.ts'
import { lengthAsJson, longestPrompt } from '#shared/agents/record/config/schema.ts'
import { secretNames } from '#shared/agents/record/config/secrets.ts'
import type { AgentContext, AgentSetting } from '#shared/agents/record/context.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { insertAgent, type NewAgentInput, type AgentPayment } from '#shared/agents/record/insert.ts'
import type { Specialization } from '#shared/agents/record/lineage.ts'
import {
  findOwner,
  agentLimitReached,
  type Owner,
  ownerForStranger,
} from '#shared/agents/record/owner.ts'
import { paymentUsed } from '#shared/billing/payments/claims/claim.ts'
import { planOfTier, planWithin } from '#shared/money/plans/tiers.ts'
import type { HasSigner } from '#shared/network/signer/port.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { PublicActor, UserActor } from '#shared/platform/identity/actor.ts'
import { audit } from '#shared/platform/identity/audit.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { type ClonePurchase, findBegun, claimPayment, usePayment } from './claim.ts'
import { copyMemory, copySkills } from './copy.ts'
import { type Payee, checkPayment, requirePayee } from './payment.ts'
import type { CloneRequest } from './schema.ts'

export interface Cloned {
  agent: Agent
  walletAddress: string
}

/** Creates agents for the caller. */
type Creates = AgentContext &
  Pick<Context<PublicActor | UserActor>, 'actor' | 'owner' | 'requestId' | 'seed'> &
  Reads<AgentSetting>

/**
 * Clones an agent with a new wallet: copies its config, skills and memory, but no secrets, because a secret belongs to
 * one agent. One transaction stores the payment and the agent; if the process dies later, a retry continues. A payment
 * does not identify the sender of the request: the first request with the payment can use it.
 * @throws PlatformError 402 PAYMENT_INVALID or AGENT_LIMIT_REACHED, 404, 409 PAYMENT_USED, 503 if it is not configured
 */
export async function cloneAgent(
  ctx: Creates & HasSigner & { payee: Payee },
  request: CloneRequest,
): Promise<Cloned> {
  const { table, config, owner } = ctx
  requirePayee(ctx.payee)
  const parent = await requireAgent({ table }, { agentId: request.parentAgentId, owner })
  const earlierClone = await findBegun(table, request, parent.userId)
  if (earlierClone === undefined) await checkPayment(ctx.payee, request.paymentProof)
  const clone =
    earlierClone === undefined
      ? await insert(ctx, parent, request)
      : await resume(ctx, earlierClone)
  const filled = await copyMemory(table, parent, clone)
  await copySkills(table, parent, filled, config.ADMIN_EMAILS)
  const { address: walletAddress } = await ctx.signer.createWallet({ agentId: clone.id })
  const agent = config.KILL_SWITCH ? filled : await startPaid(ctx, filled)
  // Marked last, so that a retry can finish an incomplete clone.
  await usePayment(table, request)
  return { agent, walletAddress }
}

const waits: ReadonlySet<string> = new Set(['SUBSCRIPTION_REQUIRED', 'AWAKE_LIMIT_REACHED'])

/**
 * Starts the clone if the owner's plan has room for it; otherwise it stays stopped, because the payment buys the clone,
 * not its running time. A stranger's clone can use only a part of the awake places, so that strangers cannot take the
 * owner's last ones.
 */
async function startPaid(ctx: Creates, clone: Agent): Promise<Agent> {
  try {
    const by = clone.lineage?.byStranger === true ? 'stranger' : 'owner'
    return await startAgent(ctx, { agent: clone, by })
  } catch (error) {
    if (error instanceof PlatformError && waits.has(error.code ?? '')) return clone
    throw error
  }
}

async function insert(ctx: Creates, parent: Agent, request: CloneRequest): Promise<Agent> {
  const { name, specialization, generation } = request
  const { userId, model, aiProvider } = parent
  const { ADMIN_EMAILS } = ctx.config
  const [owner, user] =
    userId === null
      ? []
      : await Promise.all([
          findOwner(ctx, { userId, adminEmails: ADMIN_EMAILS }),
          findUser(ctx.table, userId),
        ])
  // The owner's plan may be smaller than when the parent was created.
  const { name: plan } =
    user === undefined
      ? planOfTier(parent.plan)
      : planWithin({ ...user, isAdmin: isAdmin(user, ADMIN_EMAILS) }, parent.plan)
  const systemPrompt = specializedPrompt(parent.config.systemPrompt, specialization)
  const config = {
    // A parent that never sleeps may have no such setting, and a new agent would sleep by default.
    ...(parent.sleepsByDefault === undefined && { sleepAfterMinutes: null }),
    ...withoutSecrets(parent.config),
    ...(systemPrompt !== undefined && { systemPrompt }),
  }
  const lineage = { parentAgentId: parent.id, generation: generation + 1, specialization }
  const draft = { name, model, plan, aiProvider, config, lineage, running: false }
  const payment = paymentOf(ctx, request, userId)
  if (owner === undefined || ctx.actor.type === 'user')
    return insertAgent(ctx, { owner, draft, refuse: agentLimitReached, payment })
  const byStranger = { ...draft, lineage: { ...lineage, byStranger: true as const } }
  return insertForStranger(ctx, owner, { draft: byStranger, payment })
}

/** Inserts a clone that a stranger paid for. Its places are limited, so that strangers cannot fill the owner's plan. */
async function insertForStranger(
  ctx: Creates,
  owner: Owner,
  input: Pick<NewAgentInput, 'draft' | 'payment'>,
): Promise<Agent> {
  const shared = await ownerForStranger(ctx, owner)
  if (shared.limit < 1) throw placesKept()
  try {
    return await insertAgent(ctx, { ...input, owner: shared, refuse: placesKept })
  } catch (error) {
    const isFull = error instanceof PlatformError && error.code === 'AGENT_LIMIT_REACHED'
    if (!isFull) throw error
    const now = await ownerForStranger(ctx, owner)
    // Another stranger's clone was inserted in the meantime, so there may still be a place.
    if (now.strangerClones !== shared.strangerClones) return insertForStranger(ctx, owner, input)
    throw error
  }
}

/** Returns the error without the limits, which only the owner may see. */
function placesKept(): PlatformError {
  return new PlatformError(
    'payment-required',
    'Clones without the owner’s session cannot use more places of the owner’s plan',
    { code: 'AGENT_LIMIT_REACHED' },
  )
}

function paymentOf(ctx: Creates, request: CloneRequest, userId: string | null): AgentPayment {
  const { transactionHash, amount, currency } = request.paymentProof
  return {
    write: (agentId) => claimPayment(request, { agentId, userId }),
    audit: (agentId) =>
      audit(ctx, 'clone.paid', {
        userId: ownerOf({ userId }),
        target: transactionHash.toLowerCase(),
        after: { agentId, parentAgentId: request.parentAgentId, amount, currency },
        unproven: true,
      }),
    refused: paymentUsed,
  }
}

function withoutSecrets(config: Agent['config']): Agent['config'] {
  const names: readonly string[] = secretNames
  return Object.fromEntries(Object.entries(config).filter(([name]) => !names.includes(name)))
}

async function resume(
  { table }: Pick<Context, 'table'>,
  { userId, agentId }: ClonePurchase,
): Promise<Agent> {
  const row = await table.get(agentKey({ userId, agentId }))
  if (row === undefined)
    throw new PlatformError('conflict', 'The clone of this payment was deleted', {
      code: 'PAYMENT_USED',
    })
  return toAgent(row)
}

const fieldNames: Readonly<Record<Exclude<Specialization, 'general'>, string>> = {
  ar: 'artists and repertoire: finding talent, and looking after it',
  promo: 'promotion: making people notice, in the tone of what is promoted',
  booking: 'bookings: dates, fees, riders, and who does what by when',
  support: 'customer support: understanding the problem first, then solving it',
  analytics: 'analytics: figures, where they come from, and what follows from them',
}

/** Returns the parent's prompt followed by the clone's field, if both fit. */
function specializedPrompt(
  prompt: string | undefined,
  specialization: Specialization,
): string | undefined {
  if (specialization === 'general') return prompt
  const field = `You specialise in ${fieldNames[specialization]}.`
  const both = prompt === undefined ? field : `${prompt}\n\n${field}`
  return lengthAsJson(both) <= longestPrompt ? both : prompt
}
