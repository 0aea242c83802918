import { type Agent, toItem } from '#shared/agents/record/agent.ts'
import { placeOf } from '#shared/agents/record/watch/place.ts'
import { watchWrite } from '#shared/agents/record/watch/write.ts'
import type { Write } from '#shared/platform/table/port.ts'

/** Returns an agent as its row is written, which includes the state of its watch. */
export function withPlace(agent: Agent): Agent {
  return { ...agent, watched: placeOf(agent) }
}

/** Returns the writes that insert an agent's row with its watch. */
export function agentWrites(agent: Agent): Write[] {
  const watch = watchWrite(agent, undefined)
  return [{ put: toItem(agent) }, ...(watch === undefined ? [] : [watch])]
}
