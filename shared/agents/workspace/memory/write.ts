import { type Agent, ownerOf } from '#shared/agents/record/agent.ts'
import type { WorkspaceState } from '#shared/agents/record/workspace-state.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { changeWorkspace, type WorkspaceChange } from '../change.ts'
import { isUnsent, noteRows, textOf } from '../rows.ts'
import { memoryLimits, type Notes } from './schema.ts'

/**
 * Writes notes to an agent's memory, all or none. pushWorkspace sends them to the container.
 * @param input.notes 1 to 50 notes
 * @returns the current agent
 * @throws PlatformError 400 MEMORY_FULL with limit, 404 if the agent is deleted
 */
export async function writeNotes(
  ctx: Pick<Context, 'table'>,
  { agent, notes }: { agent: Agent; notes: Notes },
): Promise<Agent> {
  return changeWorkspace(ctx, {
    agent,
    plan: (next, current) => planNotes(ctx, { agent: current, next, notes }),
  })
}

/**
 * Plans a change of notes against the stored notes.
 * @param input.next the workspace after the change
 */
export async function planNotes(
  { table }: Pick<Context, 'table'>,
  { agent, next, notes }: { agent: Agent; next: WorkspaceState; notes: Notes },
): Promise<WorkspaceChange | undefined> {
  const keyOf = (key: string) => ({ userId: ownerOf(agent), agentId: agent.id, key })
  const before = await table.getMany(Object.keys(notes).map((key) => noteRows.key(keyOf(key))))
  const updatedAt = new Date().toISOString()
  const rows: Write[] = []
  const state = { notes: next.notes, characters: next.characters }
  for (const [index, [key, text]] of Object.entries(notes).entries()) {
    const item = before[index]
    const row = item && noteRows.parse(item)
    const old = row && textOf({ workspace: next }, row)
    if (text === null && old === undefined) continue
    state.notes += Number(text !== null) - Number(old !== undefined)
    state.characters += (text?.length ?? 0) - (old?.length ?? 0)
    const { revision } = next
    const note = { key, revision, updatedAt, ...(text !== null && { text }) }
    const unsent = text === null && row !== undefined && isUnsent(agent, row)
    rows.push(
      unsent ? { delete: noteRows.key(keyOf(key)) } : { put: noteRows.put(keyOf(key), note) },
    )
  }
  if (rows.length === 0) return undefined
  if (state.notes > Math.max(memoryLimits.notes, next.notes)) throw full('notes')
  if (state.characters > Math.max(memoryLimits.characters, next.characters))
    throw full('characters')
  return { rows, state }
}

function full(what: keyof typeof memoryLimits): PlatformError {
  const limit = memoryLimits[what]
  return new PlatformError('bad-request', `The agent’s memory can have at most ${limit} ${what}`, {
    code: 'MEMORY_FULL',
    details: { limit },
  })
}
