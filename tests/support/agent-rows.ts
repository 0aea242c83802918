import { type Agent, toItem } from '../../shared/agents/agent.ts'
import { placeOf } from '../../shared/agents/watch/place.ts'
import { watchWrite } from '../../shared/agents/watch/write.ts'
import type { Write } from '../../shared/platform/table/port.ts'

/** An agent as its row is written: where its watch stands is part of it. */
export function withPlace(agent: Agent): Agent {
  return { ...agent, watched: placeOf(agent) }
}

/** An agent's row with its watch, for a test that puts it there. */
export function agentWrites(agent: Agent): Write[] {
  const watch = watchWrite(agent, undefined)
  return [{ put: toItem(agent) }, ...(watch === undefined ? [] : [watch])]
}
