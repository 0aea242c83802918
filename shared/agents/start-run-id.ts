import { agentRows } from './rows.ts'
import { idPattern } from '../platform/ids.ts'

/** What a start of an agent is called in `/api/runs`. */
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

/** Which start an id of `/api/runs` names; undefined for one that names none. */
export function parseStartRunId(id: string): { agentId: string; generation: number } | undefined {
  const [, agentId, generation] = startRun.exec(id) ?? []
  return agentId === undefined ? undefined : { agentId, generation: Number(generation) }
}
