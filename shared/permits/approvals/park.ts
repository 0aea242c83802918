import type { Agent } from '#shared/agents/record/agent.ts'
import { agentAlive, agentKey } from '#shared/agents/record/agent.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import { digestOf } from '#shared/platform/identity/audit-entry.ts'
import type { Optional, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { newId, newSeed } from '#shared/platform/ids.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import type { Item, Write } from '#shared/platform/table/port.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { isoOf } from '#shared/platform/times.ts'
import { webhookParts } from '#shared/signals/outbound-webhooks/emit.ts'
import type { Effect } from '../policy/effect.ts'
import { type Approval, decisionMs, expiryOf, findApproval, isOpen } from './approval.ts'
import { requestedEvent } from './events.ts'
import { expireApproval } from './expire.ts'
import { mailPart } from './mails/request.ts'
import { type ParkedRequest, requireBodySize } from './request.ts'
import {
  approvalMailRows,
  approvalRequestRows,
  approvalRows,
  approvalsDue,
  pendingCountRows,
  waitingRequestRows,
} from './rows.ts'
import { approvals } from './topic.ts'

export interface Parked {
  agent: Agent
  effect: Effect
  /** The agent's session that asks: the header `x-session`, otherwise `approvals`. */
  session: string
  /** One line for people. */
  summary: string
  request: ParkedRequest
  /** Takes back the count of the request, if an identical one already waits. */
  uncount?: Write | undefined
}

/** The response for a parked effect: contract.md 17. */
export interface PendingApproval {
  state: 'pending'
  approvalId: string
}

/** The context of `park`. Without queues, the tick sends the messages for the mail and the events. */
export type ParkContext = Pick<Context, 'table'> &
  Optional<Pick<Context, 'log'> & Sends<'approvals' | 'webhook-deliveries'>>

/** The limit of a request without its body in bytes, so that both fit into a row of 400 KB. */
const maxText = 40_000

/** In characters. */
const maxSummary = 500

/** The maximum number of pending approvals of an agent: contract.md 17. */
export const pendingLimit = 100

/**
 * Stores an approval with its request, its event and the mail to the owner in one transaction. An identical pending
 * request gets the approval of the first one.
 * @throws PlatformError 403 for an agent without an owner, 404 if the agent was deleted, 413 for a request that is too
 * large, 429 APPROVALS_FULL
 */
export async function park(ctx: ParkContext, parked: Parked): Promise<PendingApproval> {
  const { agent, effect, request } = parked
  const { id: agentId, userId } = agent
  if (userId === null)
    throw new PlatformError('forbidden', 'No user can approve requests of this agent')
  const text = textOf(request)
  const body = request.body && Buffer.from(request.body).toString('base64')
  const digest = String(await digestOf([effect.action, effect.target, text, body ?? null]))
  return retryOptimistically(async () => {
    const now = Date.now()
    const [marker, mail] = await ctx.table.getMany([
      waitingRequestRows.key({ userId, agentId, digest }),
      approvalMailRows.key({ userId }),
    ])
    const waiting = marker && (await waitingApproval(ctx, userId, marker))
    if (waiting !== undefined && isOpen(waiting, now)) {
      if (parked.uncount !== undefined) await tryCommit(ctx.table, { use: parked.uncount })
      return pending(waiting)
    }
    if (waiting?.state === 'pending') {
      await expireApproval(ctx, waiting, now)
      return overtaken
    }
    const approval = newApproval(parked, { userId, digest, now })
    const { id: approvalId } = approval
    const expiresAt = expiryOf(now)
    const { write: mailWrite, message } = mailPart(userId, mail, now)
    const refusals = await tryCommit(ctx.table, {
      approval: {
        put: approvalRows.put({ userId, approvalId }, approval, {
          ...approvalsDue.at(approvalId, Date.parse(approval.until)),
          expiresAt,
        }),
        ...absent(now),
      },
      request: {
        put: approvalRequestRows.put(
          { userId, approvalId },
          { text, ...(body !== undefined && { body }) },
          { expiresAt },
        ),
      },
      waiting: {
        put: waitingRequestRows.put({ userId, agentId, digest }, { approvalId }, { expiresAt }),
        ...absent(now),
      },
      count: {
        update: pendingCountRows.key({ userId, agentId }),
        add: { count: 1 },
        if: 'attribute_not_exists(#count) OR #count < :limit',
        values: { limit: pendingLimit },
      },
      agent: { check: agentKey({ userId, agentId }), ...agentAlive },
      mail: mailWrite,
      ...(await webhookParts(ctx, userId, [requestedEvent(approval)], now)),
    })
    if (refusals === undefined) {
      // The approval is stored, so its agent must not get an error: the tick sends the message again.
      if (message !== undefined)
        await ctx.queues
          ?.send(approvals, message)
          .catch((error: unknown) => ctx.log?.warn('a mail waits for the tick', { error }))
      return pending(approval)
    }
    if (refusals.agent !== undefined) throw notFound('Agent')
    if (refusals.waiting === undefined && refusals.count !== undefined) throw approvalsFull()
    return overtaken
  })
}

function textOf({ json, body }: ParkedRequest): string {
  const text = JSON.stringify(json)
  requireBodySize(body?.length ?? 0)
  if (Buffer.byteLength(text) > maxText)
    throw new PlatformError(
      'payload-too-large',
      'A request that needs an approval may have headers and fields of at most 40 KB',
    )
  return text
}

function newApproval(
  { agent, effect, session, summary }: Parked,
  { userId, digest, now }: { userId: string; digest: string; now: number },
): Approval {
  return {
    id: newId(approvalRows.id, newSeed(now)),
    userId,
    agentId: agent.id,
    action: effect.action,
    target: { ...effect.target },
    ...('microUsd' in effect && { microUsd: String(effect.microUsd) }),
    session,
    summary: (summary.length > maxSummary
      ? `${summary.slice(0, maxSummary - 1)}…`
      : summary
    ).toWellFormed(),
    digest,
    state: 'pending',
    attempts: 0,
    createdAt: isoOf(now),
    until: isoOf(now + decisionMs),
  }
}

async function waitingApproval(
  ctx: Pick<Context, 'table'>,
  userId: string,
  marker: Item,
): Promise<Approval | undefined> {
  const { approvalId } = waitingRequestRows.parse(marker)
  return findApproval(ctx, { userId, approvalId })
}

function pending({ id }: Approval): PendingApproval {
  return { state: 'pending', approvalId: id }
}

function approvalsFull(): PlatformError {
  return new PlatformError(
    'too-many-requests',
    `${pendingLimit} requests of this agent already wait for a decision`,
    { code: 'APPROVALS_FULL', details: { current: pendingLimit, limit: pendingLimit } },
  )
}
