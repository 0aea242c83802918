import type { Agent } from '../../agents/agent.ts'
import { isAwake } from '../../agents/awake.ts'
import { changeAgent } from '../../agents/change.ts'
import type { AgentContext } from '../../agents/context.ts'
import { listAgents } from '../../agents/list.ts'
import { sendStops } from '../provisioning/messages.ts'
import { giveWay, yieldsSince } from './sleep.ts'

/**
 * Puts that one of an owner's agents to sleep which has had no work for longest, of those that may sleep and have none
 * now, so that another may be awake. Where many requests wake one agent at once, one of them does so.
 * @param input.agent the one that is to be awake
 * @param input.limit how many may be
 * @returns whether to try again: room was made, here or meanwhile by another, or it needs none any more
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
        return yielded ? giveWay(current, now) : current
      },
      now,
    },
  )
  if (stored !== undefined && yielded) await sendStops(queues, stored)
  return true
}
