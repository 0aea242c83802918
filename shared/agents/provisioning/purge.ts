import { ConditionFailed } from '../../platform/table/port.ts'
import { userStore } from '../../platform/table/user-store.ts'
import { type Agent, agentSortKey, liveTasks, ownerOf } from '../agent.ts'
import { readAgent } from '../find.ts'
import type { ProvisioningContext } from './context.ts'
import { type DeleteMessage, sendDelete } from './messages.ts'

/** The most that one transaction takes. */
const pageSize = 100

/** Leaves time for the last page within the function's 30 s. */
const budgetMs = 15_000

/**
 * Removes what a deleted agent leaves behind, its row last: until then another message takes it up where this one
 * ended. An agent that is not deleted is left alone.
 */
export async function purgeAgent(
  ctx: ProvisioningContext,
  message: DeleteMessage,
  deadline = Date.now() + budgetMs,
): Promise<void> {
  const agent = await readAgent(ctx.table, message)
  if (!agent?.deleting) return
  await stopAll(ctx, agent)
  const store = userStore(ctx.table, ownerOf(agent))
  for (;;) {
    const page = await store.query({ beginsWith: `message#${agent.id}#`, limit: pageSize })
    if (page.items.length > 0)
      await ctx.table.transact(page.items.map(({ sk }) => store.write.delete(sk)))
    if (page.items.length === 0 && page.next === undefined) break
    if (Date.now() > deadline) return sendDelete(ctx.queues, agent)
  }
  await store
    .delete(agentSortKey(agent.id), { if: 'attribute_exists(#deleting)' })
    .catch((error: unknown) => {
      // Another message was faster.
      if (!(error instanceof ConditionFailed && error.item === undefined)) throw error
    })
}

/** Also what the row does not know of, such as a task whose start was cut off before it was noted. */
async function stopAll({ containers }: ProvisioningContext, agent: Agent): Promise<void> {
  const arns = new Set([...liveTasks(agent), ...(await containers.list(agent.id))])
  for (const arn of arns) await containers.stop(arn, 'The agent was deleted')
}
