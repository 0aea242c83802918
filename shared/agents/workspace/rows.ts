import type { Item } from '../../platform/table/port.ts'
import type { Agent } from '../agent.ts'
import { emptyWorkspace } from './state.ts'

/** One note of an agent's memory. Without a text it is forgotten, and stays until the container has heard of it. */
export interface NoteRow {
  key: string
  text?: string | undefined
  revision: number
  updatedAt: string
}

/** One skill in an agent's workspace. Without a document it is removed, as a note is forgotten. */
export interface SkillRow {
  skillId: string
  name?: string
  description?: string
  version?: string
  /** The SKILL.md as it was installed, whatever the catalogue offers by now. */
  document?: string | undefined
  enabled: boolean
  installedAt?: string
  revision: number
  updatedAt: string
}

export function noteKey(agentId: string, key = ''): string {
  return `memory#${agentId}#${key}`
}

export function skillKey(agentId: string, skillId = ''): string {
  return `skill#${agentId}#${skillId}`
}

/** The text of a note that the agent remembers; undefined for one that it has forgotten, alone or with everything. */
export function textOf(
  { workspace = emptyWorkspace }: Pick<Agent, 'workspace'>,
  { text, revision }: NoteRow,
): string | undefined {
  return revision > workspace.reset ? text : undefined
}

/** Whether no container can have a row's note or skill, so that nothing has to tell one of its end. */
export function isUntold(
  { workspace = emptyWorkspace, address }: Pick<Agent, 'workspace' | 'address'>,
  { revision }: { revision: number },
): boolean {
  // One that runs may have been given it by somebody who was cut off before noting so.
  return address === undefined && revision > workspace.given
}

/** Rows as what they hold: only this folder's writers make them, so their form is known. */
export function toNote(item: Item): NoteRow {
  return item as unknown as NoteRow
}

export function toSkill(item: Item): SkillRow {
  return item as unknown as SkillRow
}
