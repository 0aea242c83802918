import type { Agent, WorkspaceState } from './record.ts'

export type { WorkspaceState }

export const emptyWorkspace: WorkspaceState = {
  revision: 0,
  reset: 0,
  given: 0,
  generation: 0,
  notes: 0,
  characters: 0,
}

/** Returns whether the container of the current generation has all changes. True if there never was a change. */
export function isSynced({
  workspace = emptyWorkspace,
  generation,
}: Pick<Agent, 'workspace' | 'generation'>): boolean {
  if (workspace.revision === 0) return true
  return workspace.generation === generation && workspace.given === workspace.revision
}
