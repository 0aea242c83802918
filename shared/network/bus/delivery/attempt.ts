import type { ActivityContext } from '#shared/agents/fleet/activity/context.ts'
import { wakeAgent } from '#shared/agents/fleet/activity/wake.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { mergeConfig } from '#shared/agents/record/config/merge.ts'
import { openSecret, sealChange } from '#shared/agents/record/config/seal.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { isSuccess } from '#shared/platform/http-client/status.ts'
import type { Can, Reads, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { tryWebhook } from '#shared/platform/webhook-post.ts'
import { newWebhookSecret } from '#shared/platform/webhook-signature.ts'
import { unlessLeaseLost } from '#shared/platform/work/lease-lost.ts'
import { moveToInbox } from '../inbox/move.ts'
import { messageRows } from '../rows.ts'
import { type DeliveryAttempt, type OutstandingWork, wakesFor } from './outstanding.ts'
import type { DeliveryRef } from './topic.ts'
import { deliveryWork } from './work.ts'

/**
 * The delays after the first, second and third attempt; after the fourth, the message goes to the inbox: contract.md 9.
 */
const waitSeconds = [5, 30, 120]

/** The context of the verbs that deliver messages. */
export type DeliveryContext = ActivityContext &
  Pick<Context, 'log'> &
  Sends<'bus-deliveries' | 'provisioning'> &
  Reads<'WALLET_ENCRYPTION_KEY'> &
  Can<'guard'>

/**
 * Starts the next attempt of a message's outstanding work. If several queue messages request one attempt, only one
 * starts it. An interrupted attempt is counted, and the tick requests the next one.
 */
export async function attemptBusDelivery(
  ctx: DeliveryContext,
  message: DeliveryRef,
): Promise<void> {
  const { messageId } = message
  const row = await messageRows.find(ctx.table, { messageId })
  const claimed = row && (await deliveryWork.claim(ctx, row, { message }))
  if (claimed?.open === undefined) return
  const { open, to } = claimed
  const agent = await readAgent(ctx.table, { userId: open.userId, agentId: to })
  await tryOnce(ctx, { messageId, open }, agent?.deleting ? undefined : agent)
}

/**
 * Carries out the current attempt.
 * @param agent the recipient's current row; undefined if it was deleted, which ends all work
 * @returns whether no work is left
 */
export async function tryOnce(
  ctx: DeliveryContext,
  { messageId, open }: DeliveryAttempt,
  agent: Agent | undefined,
): Promise<boolean> {
  if (agent === undefined) return end(ctx, messageId, open)
  const woken = await wake(ctx, agent)
  const url = agent.config.webhookUrl
  const reaches = open.what === 'deliver' && typeof url === 'string'
  if (!reaches && open.text !== undefined) return keep(ctx, { messageId, open, agent })
  const done = reaches ? await deliver(ctx, { messageId, open, agent, url }) : woken
  if (done) return end(ctx, messageId, open)
  const wait = waitSeconds[open.attempts - 1]
  if (wait === undefined) {
    if (open.text === undefined) return end(ctx, messageId, open)
    return keep(ctx, { messageId, open, agent })
  }
  await unlessLeaseLost(deliveryWork.later(ctx, { messageId, open }, wait))
  return false
}

async function deliver(
  ctx: DeliveryContext,
  { messageId, open, agent, url }: DeliveryAttempt & { agent: Agent; url: string },
): Promise<boolean> {
  const { text = '', attempts } = open
  const secret = await openWebhookSecret(ctx, agent).catch((error: unknown) => {
    ctx.log.warn('the secret of a webhook could not be decrypted', {
      messageId,
      agentId: agent.id,
      error,
    })
    return undefined
  })
  // The agent may also be deleted in the meantime, which the next attempt detects.
  if (secret === undefined) return false
  const answer = await tryWebhook(
    ctx,
    { url, secret, id: messageId, text },
    { messageId, agentId: agent.id, attempts },
  )
  return isSuccess(answer?.status)
}

/** @returns whether the agent is awake, is starting, or need not be woken */
async function wake(ctx: DeliveryContext, agent: Agent): Promise<boolean> {
  if (!wakesFor(agent)) return true
  try {
    await wakeAgent(ctx, { agent })
    return true
  } catch (error) {
    // The plan has ended, or the operator has disabled starts: the message continues to wait for its agent.
    ctx.log.warn('a message cannot wake its agent', { agentId: agent.id, error })
    return false
  }
}

/** Moves the message into the recipient's inbox, unless the recipient was deleted in the meantime. */
async function keep(
  ctx: DeliveryContext,
  attempt: DeliveryAttempt & { agent: Agent },
): Promise<true> {
  const isStored = await moveToInbox(ctx.table, attempt)
  return isStored || end(ctx, attempt.messageId, attempt.open)
}

/** Ends the work on a message, unless a later attempt has started. */
async function end(ctx: DeliveryContext, messageId: string, open: OutstandingWork): Promise<true> {
  await unlessLeaseLost(deliveryWork.finish(ctx, { messageId, open }, { remove: ['open'] }))
  return true
}

/**
 * Returns the secret of an agent's webhook. Creates one if the config is from an earlier release.
 * @returns undefined if the agent was deleted in the meantime
 */
async function openWebhookSecret(
  ctx: Pick<Context, 'table'> & Reads<'WALLET_ENCRYPTION_KEY'> & Can<'guard'>,
  agent: Agent,
): Promise<string | undefined> {
  const known = await openSecret(ctx, agent, 'webhookSecret')
  if (known !== undefined) return known
  const sealed = await sealChange(ctx, agent, { webhookSecret: newWebhookSecret() })
  const stored = await changeAgent(ctx, {
    agent,
    decide: (current) =>
      current.secrets?.webhookSecret === agent.secrets?.webhookSecret
        ? mergeConfig(current, sealed)
        : current,
  })
  return stored && openSecret(ctx, stored, 'webhookSecret')
}
