import { ownerOf } from '#shared/agents/record/agent.ts'
import type { ListPastEffects } from '#shared/permits/policy/replay.ts'
import { listPairs } from './pairs.ts'

/** Lists the latest message of an agent to each other agent of its owner; earlier ones are not recorded. */
export const pastMessages: ListPastEffects = async ({ table }, { agent, since, limit }) => {
  const pairs = await listPairs({ table }, { userId: ownerOf(agent) })
  return pairs
    .filter(({ from, at }) => from === agent.id && Date.parse(at) >= since)
    .slice(0, limit)
    .map(({ to, action, at }) => ({
      at: Date.parse(at),
      effect: { action: 'message.send' as const, target: { to, action } },
    }))
}
