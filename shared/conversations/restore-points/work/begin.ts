import { profileKey } from '#shared/accounts/users/user.ts'
import { sendStart } from '#shared/agents/fleet/requests/send.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { eventWrites } from '#shared/agents/record/events/write.ts'
import { platformsImage } from '#shared/agents/record/image/platforms.ts'
import { subdomainFor } from '#shared/agents/record/names.ts'
import { countAgentDown } from '#shared/agents/record/owner.ts'
import { newWatchdog } from '#shared/agents/watchdog/schema.ts'
import { removeWorkspace } from '#shared/agents/workspace/remove.ts'
import { writeWorkspace } from '#shared/agents/workspace/replace.ts'
import { removeMessages } from '#shared/conversations/chat/remove-messages.ts'
import { replaceMessages } from '#shared/conversations/chat/replace-messages.ts'
import { removeTasks } from '#shared/conversations/scheduled-tasks/delete.ts'
import { replaceTasks } from '#shared/conversations/scheduled-tasks/replace.ts'
import { initialPolicy } from '#shared/permits/policy/restore.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { commit, numbered } from '#shared/platform/table/commit.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { objectOf, snapshotRows } from '../rows.ts'
import { commitAgent } from './commit-agent.ts'
import type { BeginContext, RestoreWork } from './context.ts'
import { initialWrites, isLater, removeInitialFiles } from './initial-files.ts'
import { restoreItems } from './lease.ts'
import { roomOf } from './payer.ts'
import { releaseRoom } from './reserve.ts'

/** The time limit for removing the data of a rejected agent, in milliseconds. */
const removalMs = 10_000

/**
 * Creates an agent with initial data. The data are written first; the last transaction creates the whole agent, and
 * requests its start if its owner's plan allows it. Idempotent before the last transaction.
 * @throws PlatformError if it is rejected, with all its data removed: 401 if the account was deleted, 409
 * TASK_LIMIT_REACHED if its owner has created other tasks in the meantime
 */
export async function createRestoredAgent(ctx: BeginContext, work: RestoreWork): Promise<Agent> {
  try {
    await fill(ctx, work)
    const agent = await createdAgent(ctx, work)
    if (isLater(work)) await restoreItems.later(ctx, work.restore, 0)
    else {
      if (agent.desired === 'running') await sendStart(ctx.queues, agent)
      await forget(ctx, work)
    }
    return agent
  } catch (error) {
    if (error instanceof PlatformError && ['conflict', 'unauthorized'].includes(error.kind))
      await undo(ctx, work)
    throw error
  }
}

async function fill(
  { table }: Pick<Context, 'table'>,
  { restore, content, goOn }: RestoreWork,
): Promise<void> {
  const { userId, agentId } = restore
  const { messages, tasks } = content
  await replaceMessages(userStore(table, userId), { agentId, messages, cut: false, goOn })
  await replaceTasks({ table }, { userId, agentId, tasks })
  await goOn()
}

/** @throws PlatformError 401 */
async function createdAgent(ctx: BeginContext, work: RestoreWork): Promise<Agent> {
  const { table } = ctx
  const { restore, content, goOn } = work
  const { userId, agentId } = restore
  const { plan, places, awakeLimit } = await roomOf(ctx, work)
  const workspace = await writeWorkspace({ table }, { userId, agentId, content, places })
  await goOn()
  const { name, model, aiProvider, config, sleepsByDefault } = content.agent
  const now = Date.now()
  const at = isoOf(now)
  const policy = initialPolicy({ userId, agentId }, content.policy)
  const agent: Agent = {
    id: agentId,
    userId,
    name,
    model,
    plan,
    aiProvider,
    config: config as Agent['config'],
    sleepsByDefault,
    subdomain: subdomainFor(name, agentId),
    image: platformsImage(ctx.config, agentId),
    status: 'provisioning',
    desired: 'running',
    generation: 1,
    revision: 1,
    tokenVersion: 1,
    located: true,
    watchdog: newWatchdog(now),
    workspace,
    ...policy.mark,
    // The job starts it when its files are complete. If that fails, the watchdog starts it after this time.
    ...(isLater(work) && { retryAt: now + filesMs }),
    createdAt: at,
    updatedAt: at,
  }
  const happenings = [{ kind: 'created' as const, text: 'Created' }]
  const events = eventWrites(agent, { happenings, by: `user:${userId}`, now })
  return commitAgent(
    table,
    { agent, limit: awakeLimit },
    {
      ...(await initialWrites(ctx, work)),
      account: userStore(table, userId).write.check(profileKey, {
        if: 'attribute_exists(pk) AND attribute_not_exists(#deletedAt)',
      }),
      policy: policy.write,
      ...numbered('event', events),
    },
    { account: () => new PlatformError('unauthorized', 'Unauthorized') },
  )
}

/** The usual maximum time until the files of a new agent are complete, in milliseconds. */
const filesMs = 900_000

/**
 * Removes the initial content, which the agent's rows now contain. If the process dies here, the restore point's row
 * removes the object later.
 */
export async function forget(
  { table, objects }: Pick<BeginContext, 'table' | 'objects'>,
  { restore }: RestoreWork,
): Promise<void> {
  const { userId, agentId, snapshotId } = restore
  await objects.remove(objectOf({ agentId, id: snapshotId }))
  await table.delete(snapshotRows.key({ userId, agentId, snapshotId }))
}

/** Cancels the creation: removes the written data and releases the agent's count. */
export async function undo(ctx: BeginContext, work: RestoreWork): Promise<void> {
  const { table } = ctx
  const { restore } = work
  await removeRestoredData(ctx, work)
  await removeInitialFiles(ctx, restore)
  const count = await countAgentDown(table, restore.userId)
  await commit(table, {
    restore: restoreItems.deleted(restore),
    room: releaseRoom(restore),
    count,
  })
  await forget(ctx, work)
}

/** Removes the data written for an agent that does not exist. */
export async function removeRestoredData(
  { table }: Pick<Context, 'table'>,
  { restore: { userId, agentId }, goOn }: RestoreWork,
): Promise<void> {
  const deadline = Date.now() + removalMs
  const deletion = { table, store: userStore(table, userId), agentId, deadline }
  await removeTasks(deletion)
  await removeWorkspace(deletion)
  // Also resets the daily counts and topics, which a removal of only the messages would leave.
  await replaceMessages(deletion.store, { agentId, messages: [], cut: false, goOn })
  await removeMessages(deletion)
}
