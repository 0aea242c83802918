import type { Agent } from '#shared/agents/record/agent.ts'
import { newId } from '#shared/platform/ids.ts'
import { channelRows } from '../rows.ts'

/** Returns the id of the channel of an agent's config. Each agent has at most one such channel. */
export function configChannelId({ id }: Pick<Agent, 'id'>): string {
  return newId(channelRows.id, id.slice(id.indexOf('_') + 1))
}
