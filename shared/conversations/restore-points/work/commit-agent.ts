import type { Agent } from '#shared/agents/record/agent.ts'
import { createdAsleep, commitAwake, isAwake } from '#shared/agents/record/awake.ts'
import { newAgentParts } from '#shared/agents/record/watch/write.ts'
import {
  type Parts,
  refusalError,
  type RefusalErrors,
  tryCommit,
} from '#shared/platform/table/commit.ts'
import type { Table } from '#shared/platform/table/port.ts'

/**
 * Commits the row of an agent whose data are already written, with the other parts of the transaction. A running agent
 * is committed asleep if its owner has no room for another awake one.
 * @param input.limit the maximum number of awake agents; undefined for no limit
 * @returns the committed agent
 * @throws the error from `errors` for a rejected part, otherwise TransactionRefused
 */
export async function commitAgent<P extends Parts>(
  table: Table,
  { agent, limit }: { agent: Agent; limit: number | undefined },
  also: P,
  errors: RefusalErrors<P> = {},
): Promise<Agent> {
  let made = agent
  const bound = isAwake(agent) ? limit : undefined
  const refusals = await commitAwake(table, { agent, limit: bound }, (room) => {
    const isFull = room?.full !== undefined
    made = isFull ? createdAsleep(agent) : agent
    const parts: Parts = { ...also, ...newAgentParts(made), room: isFull ? undefined : room?.write }
    return tryCommit(table, parts)
  })
  if (refusals !== undefined) throw refusalError(refusals, errors)
  return made
}
