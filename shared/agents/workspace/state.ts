import type { Agent } from '../agent.ts'

/**
 * How far an agent's container has what the table holds for it: its memory and its skills. The table is the truth,
 * since a container's disk is gone with its task.
 */
export interface WorkspaceState {
  /** Of the last change; each counts one up and marks the rows that it writes. */
  revision: number
  /** Of the last change that made the agent forget everything; 0 for none. */
  reset: number
  /** When that was: ISO 8601. */
  resetAt?: string | undefined
  /** The last revision that a container has been given whole. */
  given: number
  /** Which start that container belonged to. */
  generation: number
  /** Notes in its memory, and their characters. */
  notes: number
  characters: number
  /** When what the agent itself wrote was last looked for: ISO 8601. */
  learnedAt?: string | undefined
}

export const emptyWorkspace: WorkspaceState = {
  revision: 0,
  reset: 0,
  given: 0,
  generation: 0,
  notes: 0,
  characters: 0,
}

/** Whether the container of the agent's present start has everything. Where nothing ever changed it lacks nothing. */
export function isFilled({ workspace = emptyWorkspace, generation }: Agent): boolean {
  if (workspace.revision === 0) return true
  return workspace.generation === generation && workspace.given === workspace.revision
}
