import type { Agent } from '#shared/agents/record/agent.ts'
import { isAwake } from '#shared/agents/record/awake.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import type { AgentContext } from '#shared/agents/record/context.ts'
import { listAgents } from '#shared/agents/record/list.ts'
import { sendStops } from '../requests/send.ts'
import { sleepForLimit, yieldsSince } from './sleep.ts'

/**
 * Puts an owner's agent to sleep so that another one can be awake: of the agents that can sleep, the one that has been
 * idle the longest. If many requests wake one agent at the same time, only one of them does this.
 * @param input.agent the agent to wake
 * @param input.limit the maximum number of awake agents
 * @returns whether to try again: this or another request has made room, or the agent no longer needs it
 */
export async function makeRoom(
  { table, queues }: AgentContext<'provisioning'>,
  { agent: { id, userId }, limit }: { agent: Pick<Agent, 'id' | 'userId'>; limit: number },
  now = Date.now(),
): Promise<boolean> {
  if (userId === null) return false
  const agents = await listAgents({ table }, { userId, consistent: true })
  const awake = agents.filter(isAwake)
  if (awake.length < limit || awake.some((agent) => agent.id === id)) return true
  const [longest] = awake
    .flatMap((agent) => {
      const since = yieldsSince(agent, now)
      return since === undefined ? [] : [{ agent, since }]
    })
    .toSorted((one, other) => one.since - other.since)
  if (longest === undefined) return false
  let yielded = false
  const stored = await changeAgent(
    { table },
    {
      agent: longest.agent,
      decide: (current) => {
        yielded = yieldsSince(current, now) !== undefined
        return yielded ? sleepForLimit(current, now) : current
      },
      now,
    },
  )
  if (stored !== undefined && yielded) await sendStops(queues, stored)
  return true
}
