import { ownerOf } from '#shared/agents/record/agent.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { AgentActor } from '#shared/platform/identity/actor.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { fileRows, type FilesRow } from '../rows.ts'

/** A container of an agent: its key identifies agent and generation. */
export type ContainerContext = Pick<Context<AgentActor>, 'table' | 'actor'>

/** Returns the ids of a container's files. @throws PlatformError 409 FILES_HELD for a key of another generation */
export function filesOf(
  { actor }: Pick<ContainerContext, 'actor'>,
  generation: number,
): { userId: string; agentId: string } {
  if (actor.generation !== generation) throw filesHeld()
  return { userId: ownerOf(actor), agentId: actor.agentId }
}

/**
 * Returns the row of the files that a container holds.
 * @throws PlatformError 404 for a deleted agent, 409 FILES_HELD if the container does not hold them
 */
export async function requireHeld(ctx: ContainerContext, generation: number): Promise<FilesRow> {
  const row = await fileRows.find(ctx.table, filesOf(ctx, generation))
  if (row?.deletedAt !== undefined) throw notFound('Agent')
  if (row?.holder !== generation) throw filesHeld()
  return row
}

/** Returns the error 409 FILES_HELD. */
export function filesHeld(): PlatformError {
  return new PlatformError('conflict', 'Another container of the agent works on its files', {
    code: 'FILES_HELD',
  })
}
