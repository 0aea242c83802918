import { type Agent, locatorKey, toItem } from '#shared/agents/record/agent.ts'
import { placeOf } from '#shared/agents/record/watch/place.ts'
import { watchWrite } from '#shared/agents/record/watch/write.ts'
import { newWatchdog } from '#shared/agents/watchdog/schema.ts'
import { newId } from '#shared/platform/ids.ts'
import type { Table, Write } from '#shared/platform/table/port.ts'

/** Returns an agent as its row is written, which includes the state of its watch. */
export function withPlace(agent: Agent): Agent {
  return { ...agent, watched: placeOf(agent) }
}

/** Returns the writes that insert an agent's row with its watch. */
export function agentWrites(agent: Agent): Write[] {
  const watch = watchWrite(agent, undefined)
  return [{ put: toItem(agent) }, ...(watch === undefined ? [] : [watch])]
}

/** Writes an agent's rows as provisioning leaves them. */
export async function putAgent(
  table: Table,
  userId: string | null,
  fields: Partial<Agent> = {},
): Promise<Agent> {
  const id = fields.id ?? newId('agt')
  const at = new Date().toISOString()
  const agent = withPlace({
    id,
    userId,
    name: 'Ada',
    subdomain: 'ada-00000000',
    model: 'gpt-4',
    plan: 'solo',
    aiProvider: 'router',
    config: {},
    image: 'agent:1',
    status: 'running',
    desired: 'running',
    generation: 1,
    revision: 1,
    tokenVersion: 1,
    watchdog: newWatchdog(Date.now()),
    createdAt: at,
    updatedAt: at,
    ...fields,
  })
  await table.transact([...agentWrites(agent), { put: { ...locatorKey(id), userId } }])
  return agent
}
