import type { Context } from '#shared/platform/identity/context.ts'
import type { ReachContext } from '../agent-gateway/gateway.ts'
import type { Agent } from '../record/agent.ts'
import { isRunning } from '../record/running.ts'
import { isSynced } from '../record/workspace-state.ts'
import { ensurePushed } from './ensure.ts'

/**
 * Sends a changed workspace to the running container. If that fails, the change is stored, and the next check or turn
 * sends it.
 * @returns whether a running container is up to date
 */
export async function pushNow(
  ctx: Pick<Context, 'table' | 'log'> & ReachContext,
  { agent }: { agent: Agent },
): Promise<boolean> {
  return isRunning(agent) && isSynced(await ensurePushed(ctx, { agent }))
}
