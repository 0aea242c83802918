import { idPattern } from '#shared/platform/ids.ts'
import { agentRows } from './rows.ts'

/** Returns the run id of an agent's start in `/api/runs`. */
export function startRunId({
  agentId,
  generation,
}: {
  agentId: string
  generation: number
}): string {
  return `start_${agentId}_${generation}`
}

const startRun = new RegExp(`^start_(${idPattern(agentRows.id)})_([1-9][0-9]{0,14})$`)

/** Parses the run id of a start. Undefined for other ids. */
export function parseStartRunId(id: string): { agentId: string; generation: number } | undefined {
  const [, agentId, generation] = startRun.exec(id) ?? []
  return agentId === undefined ? undefined : { agentId, generation: Number(generation) }
}
