import * as z from 'zod'
import type { Agent } from '../agents/agent.ts'
import { emptyWorkspace } from '../agents/workspace-state.ts'
import { entity } from '../platform/table/entity.ts'

/** One note of an agent’s memory, or that it is forgotten until the container knows. */
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

/** One skill in an agent’s workspace, or that it is removed until the container knows. */
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
      /** The SKILL.md as it was installed; the catalogue may offer another by now. */
      document: z.string().optional(),
      enabled: z.boolean(),
      installedAt: z.string().optional(),
      revision: z.number(),
      updatedAt: z.string(),
    }),
})

export type SkillRow = z.output<ReturnType<typeof skillRows.declared.schema>>

/** All skills in all agents of a user: what the plan’s limit is held by. */
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

/** The text of a note that the agent remembers; undefined for one that it has forgotten, alone or with everything. */
export function textOf(
  { workspace = emptyWorkspace }: Pick<Agent, 'workspace'>,
  { text, revision }: NoteRow,
): string | undefined {
  return revision > workspace.reset ? text : undefined
}

/** Whether no container can have a row's note or skill, so that its end leaves no tombstone. */
export function isUnsent(
  { workspace = emptyWorkspace, address }: Pick<Agent, 'workspace' | 'address'>,
  { revision }: { revision: number },
): boolean {
  // A container that runs may have been given it by a process that was killed before noting so.
  return address === undefined && revision > workspace.given
}
