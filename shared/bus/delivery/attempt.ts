import type { Agent } from '../../agents/agent.ts'
import { readAgent } from '../../agents/find.ts'
import type { ActivityContext } from '../../fleet/activity/context.ts'
import { wakeAgent } from '../../fleet/activity/wake.ts'
import type { Log } from '../../platform/log.ts'
import type { Queues } from '../../platform/queues/port.ts'
import { written } from '../../platform/table/written.ts'
import { moveToInbox } from '../inbox/move.ts'
import { messageRows } from '../rows.ts'
import { type Attempt, leaseMs, type Open, openAttributes, still, wakesFor } from './open.ts'
import { deliveries, type DeliveryRef } from './topic.ts'
import { postToWebhook, type WebhookContext } from './webhook.ts'

/** contract.md 9: what is waited after the first try, the second and the third; after the fourth it goes to the inbox. */
const waitSeconds = [5, 30, 120]

/** How much longer than a delayed message takes until the tick counts it as lost, in milliseconds. */
const lostMs = 30_000

export interface DeliveryContext extends WebhookContext, Omit<ActivityContext, 'queues'> {
  queues: Queues<'bus-deliveries' | 'provisioning'>
  config: WebhookContext['config'] & ActivityContext['config']
  log: Log
}

/**
 * Takes up the next try of what is left to do for a message. Of the same try asked for twice, one is made; a try that
 * its process left in the middle counts, and the tick asks for the next.
 */
export async function takeUp(
  ctx: DeliveryContext,
  { messageId, attempt }: DeliveryRef,
): Promise<void> {
  const row = await ctx.table.get(messageRows.key({ messageId }))
  const { open, to = '' } = row === undefined ? {} : messageRows.parse(row)
  if (open === undefined || open.attempts !== attempt - 1) return
  const next = { ...open, attempts: attempt }
  const taken = await written(
    ctx.table.update(messageRows.key({ messageId }), {
      set: openAttributes(messageId, next, Date.now() + leaseMs),
      ...still(open),
    }),
  )
  if (!taken) return
  const agent = await readAgent(ctx.table, { userId: open.userId, agentId: to })
  await tryOnce(ctx, { messageId, open: next }, agent?.deleting ? undefined : agent)
}

/**
 * Makes the try that is under way.
 * @param agent the recipient as it is now; undefined where it is gone, which ends all that is left to do
 * @returns whether nothing is left to do
 */
export async function tryOnce(
  ctx: DeliveryContext,
  { messageId, open }: Attempt,
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
  await tryLater(ctx, { messageId, open, wait })
  return false
}

async function deliver(
  ctx: DeliveryContext,
  { messageId, open, agent, url }: Attempt & { agent: Agent; url: string },
): Promise<boolean> {
  const { text = '', attempts } = open
  const started = performance.now()
  const outcome = await postToWebhook(ctx, { agent, url, messageId, text }).catch(
    (error: unknown) => error as Error,
  )
  const delivered = typeof outcome === 'number' && outcome >= 200 && outcome <= 299
  ctx.log[delivered ? 'info' : 'warn'](
    'webhook',
    {
      messageId,
      agentId: agent.id,
      attempts,
      ...(typeof outcome === 'number' ? { status: outcome } : { failed: outcome.message }),
    },
    {
      by: [[]],
      of: {
        WebhookLatency: [Math.round(performance.now() - started), 'Milliseconds'],
        WebhookFailures: [delivered ? 0 : 1, 'Count'],
      },
    },
  )
  return delivered
}

/** @returns whether it is awake, on its way, or not to be woken */
async function wake(ctx: DeliveryContext, agent: Agent): Promise<boolean> {
  if (!wakesFor(agent)) return true
  try {
    await wakeAgent(ctx, { agent })
    return true
  } catch (error) {
    // The plan has ended, or the operator has stopped all starts: the message waits for its agent all the same.
    ctx.log.warn('a message cannot wake its agent', { agentId: agent.id, error })
    return false
  }
}

/** Puts the message into its recipient's inbox; one that has gone meanwhile gets none. */
async function keep(ctx: DeliveryContext, attempt: Attempt & { agent: Agent }): Promise<true> {
  const kept = await moveToInbox(ctx.table, attempt)
  return kept || end(ctx, attempt.messageId, attempt.open)
}

/** Nothing is left to do; where a later try has begun meanwhile, that one says it. */
async function end({ table }: DeliveryContext, messageId: string, open: Open): Promise<true> {
  await written(
    table.update(messageRows.key({ messageId }), {
      remove: ['open', 'gsi1pk', 'gsi1sk'],
      ...still(open),
    }),
  )
  return true
}

async function tryLater(
  { table, queues }: DeliveryContext,
  { messageId, open, wait }: Attempt & { wait: number },
): Promise<void> {
  const due = Date.now() + wait * 1000
  const waits = await written(
    table.update(messageRows.key({ messageId }), {
      set: openAttributes(messageId, open, due + lostMs),
      ...still(open),
    }),
  )
  const next = { messageId, attempt: open.attempts + 1 }
  if (waits) await queues.send(deliveries, next, { delaySeconds: wait })
}
