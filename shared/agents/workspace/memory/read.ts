import type * as z from 'zod'
import type { ReachContext } from '#shared/agents/agent-gateway/gateway.ts'
import { type Agent, ownerOf } from '#shared/agents/record/agent.ts'
import { isRunning } from '#shared/agents/record/running.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Log } from '#shared/platform/log.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { rowsOf } from '../pages.ts'
import { pullMemory } from '../pull.ts'
import { noteRows, textOf } from '../rows.ts'
import type { memoryAnswer } from './schema.ts'

/** A request for the memory must not wait long for an agent that does not respond. */
const timeouts = { idleMs: 3000, totalMs: 5000 }

/**
 * Returns an agent's whole memory. If the agent is running, its own notes are read first. The table is authoritative:
 * if the agent does not respond, its stored memory is returned.
 */
export async function readMemory(
  ctx: Pick<Context, 'table'> & ReachContext & { log: Log },
  { agent }: { agent: Agent },
): Promise<z.input<typeof memoryAnswer>> {
  return storedMemory(ctx, { agent: isRunning(agent) ? await pull(ctx, agent) : agent })
}

/** Returns an agent's memory from the table. */
export async function storedMemory(
  { table }: Pick<Context, 'table'>,
  { agent }: { agent: Agent },
): Promise<z.input<typeof memoryAnswer>> {
  const memory: [string, string][] = []
  let lastUpdated: string | null = null
  const store = userStore(table, ownerOf(agent))
  for await (const row of rowsOf(store, noteRows.prefix({ agentId: agent.id }), noteRows.parse)) {
    const { key, updatedAt } = row
    const text = textOf(agent, row)
    if (text === undefined) continue
    memory.push([key, text])
    if (lastUpdated === null || updatedAt > lastUpdated) lastUpdated = updatedAt
  }
  return {
    memory: Object.fromEntries(memory),
    agentId: agent.id,
    count: memory.length,
    lastUpdated,
  }
}

function pull(
  ctx: Pick<Context, 'table'> & ReachContext & { log: Log },
  agent: Agent,
): Promise<Agent> {
  return pullMemory({ ...ctx, timeouts }, { agent }).catch((error: unknown) => {
    ctx.log.warn('an agent’s own memory was not read', { agentId: agent.id, error })
    return agent
  })
}
