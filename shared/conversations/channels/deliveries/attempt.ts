import type * as z from 'zod'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { ConditionFailed } from '#shared/platform/table/port.ts'
import { removeRows } from '#shared/platform/table/remove-rows.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { LeaseLost, unlessLeaseLost } from '#shared/platform/work/lease-lost.ts'
import { adapterContext, type CallsServices } from '../adapter-context.ts'
import type { OpenChannel, Outcome } from '../adapters/adapter.ts'
import { adapterOf } from '../adapters/index.ts'
import { openChannel } from '../channel.ts'
import { channelDeliveryRows, channelOutboxRows, channelPartRows, channelRows } from '../rows.ts'
import type { ChatRef } from '../topic.ts'
import { type Outbox, outboxWork } from '../work.ts'
import { filePart } from './content.ts'
import { shownReason } from './shown-reason.ts'

export type DeliveriesContext = Pick<Context, 'table'> &
  CallsServices &
  Can<'packs'> &
  Sends<'channel-deliveries'>

type WaitingPart = z.output<ReturnType<typeof channelPartRows.declared.schema>>

/** The times of the attempts in seconds after the first: the same as for webhooks, contract.md 11. */
const triesAt = [0, 5, 60, 300, 1800, 7200, 28_800, 86_400]

/** The most parts of one attempt. */
const maxParts = 20

/** No part is begun later in an attempt, in milliseconds: a call of a slow service would end with the function. */
const beginMs = 20_000

const noLongerStored = 'The file was changed or deleted before it could be sent'

const neverEnded = 'Each attempt to send it was interrupted'

const mayHaveBeenSent =
  'The process that sent it was interrupted, so it may have been sent. It was not sent again'

/**
 * Sends the waiting messages to a chat, one after the other. A part is marked before its first byte. If the process is
 * killed then, the part is sent again only if its service carries out a repetition once.
 */
export async function attemptDeliveries(ctx: DeliveriesContext, message: ChatRef): Promise<void> {
  const { clock = Date.now } = ctx
  const row = await channelOutboxRows.find(ctx.table, message)
  const outbox = row && (await outboxWork.claim(ctx, row, { message, now: clock() }))
  if (outbox === undefined) return
  if (!(await unlessLeaseLost(step(ctx, outbox))))
    ctx.log.warn('the lease of an outbox was lost', { channelId: outbox.channelId })
}

async function step(ctx: DeliveriesContext, outbox: Outbox): Promise<void> {
  const { table, clock = Date.now } = ctx
  const channel = await channelRows.find(table, outbox)
  if (channel === undefined) return removeOutbox(ctx, outbox)
  const opened = await openChannel(ctx, channel)
  const begun = Date.now()
  const mayBegin = (count: number) => count < maxParts && Date.now() - begun < beginMs
  let current = outbox
  for (let count = 0; ; count++) {
    const [part, another] = await oldestParts(ctx, current, 2)
    if (part !== undefined) {
      const wait = mayBegin(count) ? await sendPart(ctx, { outbox: current, opened, part }) : 0
      if (wait !== undefined) return outboxWork.later(ctx, current, wait, { now: clock() })
    }
    if (another === undefined) {
      const newer = await ended(ctx, current)
      if (newer === undefined) return
      current = newer
    }
  }
}

async function oldestParts(
  { table }: DeliveriesContext,
  outbox: Outbox,
  limit: number,
): Promise<WaitingPart[]> {
  const { items } = await table.query({
    pk: channelPartRows.pk(outbox),
    beginsWith: channelPartRows.prefix(outbox),
    limit,
    consistent: true,
  })
  return items.map((item) => channelPartRows.parse(item))
}

interface Sent {
  outbox: Outbox
  opened: OpenChannel
  part: WaitingPart
}

/** @returns the seconds until the next attempt; undefined if the part is finished */
async function sendPart(ctx: DeliveriesContext, sent: Sent): Promise<number | undefined> {
  const { clock = Date.now } = ctx
  const { outbox, opened, part } = sent
  const adapter = adapterOf(opened.kind)
  const now = clock()
  if (part.notBefore !== undefined && part.notBefore > now)
    return Math.ceil((part.notBefore - now) / 1000)
  if (part.sending === true && !adapter.safeToRepeat) {
    await finish(ctx, sent, { state: 'unknown', reason: mayHaveBeenSent })
    return undefined
  }
  // An attempt that throws has no outcome, and must not hold up the chat forever.
  if (part.attempts >= triesAt.length) {
    await finish(ctx, sent, { state: 'failed', reason: neverEnded })
    return undefined
  }
  const content = await contentOf(ctx, sent)
  if (content === undefined) {
    await finish(ctx, sent, { state: 'failed', reason: noLongerStored })
    return undefined
  }
  const attempts = part.attempts + 1
  await save(ctx, sent, { sending: true, attempts })
  const { delivery: key, replyTo } = part
  const outcome = await adapter.send(adapterContext(ctx), opened, { replyTo, part: content, key })
  if (outcome.state !== 'retry') {
    await finish(ctx, { outbox, opened, part: { ...part, attempts } }, outcome)
    return undefined
  }
  const [before = 0, next] = triesAt.slice(attempts - 1)
  if (next === undefined) {
    const { reason } = outcome
    await finish(ctx, { outbox, opened, part: { ...part, attempts } }, { state: 'failed', reason })
    return undefined
  }
  const seconds = outcome.afterSeconds ?? next - before
  await save(ctx, sent, { sending: false, notBefore: clock() + seconds * 1000 })
  return seconds
}

/** @returns undefined if the content of a file is no longer stored */
function contentOf(ctx: DeliveriesContext, { opened: { agentId }, part: { text, file } }: Sent) {
  return file === undefined ? { text } : filePart(ctx, agentId, file)
}

/** @throws LeaseLost */
async function save(
  { table }: DeliveriesContext,
  { outbox, part: { order } }: Sent,
  set: Partial<WaitingPart>,
): Promise<void> {
  const refusals = await tryCommit(table, {
    outbox: { check: channelOutboxRows.key(outbox), ...outboxWork.still(outbox) },
    part: { update: channelPartRows.key({ ...outbox, order }), set },
  })
  if (refusals !== undefined) throw new LeaseLost(outbox.channelId)
}

/** Writes the result of a part. @throws LeaseLost */
async function finish(
  { table }: DeliveriesContext,
  { outbox, part: { order, delivery, attempts } }: Sent,
  outcome: Exclude<Outcome, { state: 'retry' }>,
): Promise<void> {
  const { state } = outcome
  const reason = 'reason' in outcome ? shownReason(outcome.reason) : null
  const refusals = await tryCommit(table, {
    outbox: { check: channelOutboxRows.key(outbox), ...outboxWork.still(outbox) },
    part: { delete: channelPartRows.key({ ...outbox, order }) },
    delivery: {
      update: channelDeliveryRows.key({ ...outbox, order: delivery }),
      set: { state, reason, attempts },
    },
  })
  if (refusals !== undefined) throw new LeaseLost(outbox.channelId)
}

/** Ends the work, unless another message was added. @returns the outbox with that message */
async function ended({ table }: DeliveriesContext, outbox: Outbox): Promise<Outbox | undefined> {
  const { if: held, values } = outboxWork.still(outbox)
  try {
    await table.update(channelOutboxRows.key(outbox), {
      remove: ['gsi1pk', 'gsi1sk', 'by', 'until'],
      if: `${held} AND #added = :added`,
      values: { ...values, added: outbox.added },
    })
    return undefined
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    const newer = await channelOutboxRows.find(table, outbox)
    return newer?.by === outbox.by ? newer : undefined
  }
}

/** Removes the messages to a chat of a deleted channel. */
async function removeOutbox({ table }: DeliveriesContext, outbox: Outbox): Promise<void> {
  await removeRows(userStore(table, outbox.userId), channelPartRows.prefix(outbox), Infinity)
  await table.delete(channelOutboxRows.key(outbox))
}
