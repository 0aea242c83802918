import { PlatformError } from '../../platform/errors.ts'
import type { Item, Table, Write } from '../../platform/table/port.ts'
import { userPartition, userStore } from '../../platform/table/user-store.ts'
import { type Agent, ownerOf } from '../agent.ts'
import { changeWorkspace, type WorkspaceChange } from '../workspace/change.ts'
import { isUntold, noteKey, type NoteRow, textOf, toNote } from '../workspace/rows.ts'
import type { WorkspaceState } from '../workspace/state.ts'
import { memoryLimits, type Notes } from './schema.ts'

/**
 * Writes notes into an agent's memory, all or none. The container hears of them by fillWorkspace.
 * @param notes 1 to 50 of them
 * @param state what else the change says about the workspace
 * @returns the agent as it is then
 * @throws PlatformError 400 MEMORY_FULL with limit, 404 where the agent is gone
 */
export async function writeNotes(table: Table, agent: Agent, notes: Notes): Promise<Agent> {
  return changeWorkspace(table, agent, async (next, current) =>
    planNotes(table, current, next, notes),
  )
}

/** What a change of notes comes to, seen from the notes that are there. */
export async function planNotes(
  table: Table,
  agent: Agent,
  next: WorkspaceState,
  notes: Notes,
): Promise<WorkspaceChange | undefined> {
  const before = await readNotes(table, agent, Object.keys(notes))
  const store = userStore(table, ownerOf(agent))
  const updatedAt = new Date().toISOString()
  const writes: Write[] = []
  const state = { notes: next.notes, characters: next.characters }
  for (const [index, [key, text]] of Object.entries(notes).entries()) {
    const row = before[index]
    const old = row && textOf({ workspace: next }, row)
    if (text === null && old === undefined) continue
    state.notes += Number(text !== null) - Number(old !== undefined)
    state.characters += (text?.length ?? 0) - (old?.length ?? 0)
    const sk = noteKey(agent.id, key)
    const note: NoteRow = {
      key,
      revision: next.revision,
      updatedAt,
      ...(text !== null && { text }),
    }
    const untold = text === null && row !== undefined && isUntold(agent, row)
    writes.push(untold ? store.write.delete(sk) : store.write.put(sk, { ...note }))
  }
  if (writes.length === 0) return undefined
  if (state.notes > Math.max(memoryLimits.notes, next.notes)) throw full('notes')
  if (state.characters > Math.max(memoryLimits.characters, next.characters))
    throw full('characters')
  return { writes, state }
}

async function readNotes(table: Table, agent: Agent, keys: readonly string[]) {
  const pk = userPartition(ownerOf(agent))
  const rows = await table.getMany(keys.map((key) => ({ pk, sk: noteKey(agent.id, key) })))
  return rows.map((row: Item | undefined) => row && toNote(row))
}

function full(what: keyof typeof memoryLimits): PlatformError {
  const limit = memoryLimits[what]
  return new PlatformError('bad-request', `The agent’s memory holds at most ${limit} ${what}`, {
    code: 'MEMORY_FULL',
    details: { limit },
  })
}
