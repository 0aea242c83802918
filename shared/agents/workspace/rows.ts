import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import type { Agent } from '../record/agent.ts'
import { emptyWorkspace } from '../record/workspace-state.ts'

/**
 * A note of an agent’s memory. A row without a text is a tombstone, which stays until the container has deleted the
 * note too.
 */
export const noteRows = entity({
  name: 'memory note',
  pk: 'user#{userId}',
  sk: 'memory#{agentId}#{key}',
  schema: () =>
    z.object({
      key: z.string(),
      text: z.string().optional(),
      revision: z.number(),
      updatedAt: z.string(),
    }),
})

export type NoteRow = z.output<ReturnType<typeof noteRows.declared.schema>>

/**
 * A skill in an agent’s workspace. A row without a document is a tombstone, which stays until the container has removed
 * the skill too.
 */
export const skillRows = entity({
  name: 'installed skill',
  pk: 'user#{userId}',
  sk: 'skill#{agentId}#{skillId}',
  schema: () =>
    z.object({
      skillId: z.string(),
      name: z.string().optional(),
      description: z.string().optional(),
      version: z.string().optional(),
      /** The SKILL.md when it was installed; the catalogue may have a newer one. */
      document: z.string().optional(),
      enabled: z.boolean(),
      installedAt: z.string().optional(),
      revision: z.number(),
      updatedAt: z.string(),
    }),
})

export type SkillRow = z.output<ReturnType<typeof skillRows.declared.schema>>

/** All skills of all agents of a user, to enforce the plan’s limit. */
export const installsRows = entity({
  name: 'skill installs',
  pk: 'user#{userId}',
  sk: 'skill-installs',
  schema: () =>
    z.object({
      installs: z.array(z.object({ agentId: z.string(), skillId: z.string() })),
      revision: z.number(),
    }),
})

/** Returns a note's text, or undefined if it was deleted, alone or by a reset. */
export function textOf(
  { workspace = emptyWorkspace }: Pick<Agent, 'workspace'>,
  { text, revision }: NoteRow,
): string | undefined {
  return revision > workspace.reset ? text : undefined
}

/** Reports whether no container can have a row's note or skill, so that its deletion needs no tombstone. */
export function isUnsent(
  { workspace = emptyWorkspace, address }: Pick<Agent, 'workspace' | 'address'>,
  { revision }: { revision: number },
): boolean {
  // A running container may have received it from a process that was killed before it recorded that.
  return address === undefined && revision > workspace.given
}
