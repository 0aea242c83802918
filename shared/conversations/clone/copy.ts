import { findUser, isAdmin } from '#shared/accounts/users/user.ts'
import { type Agent, ownerOf } from '#shared/agents/record/agent.ts'
import { writeNotes } from '#shared/agents/workspace/memory/write.ts'
import { rowsOf } from '#shared/agents/workspace/pages.ts'
import { noteRows, textOf } from '#shared/agents/workspace/rows.ts'
import { installSkillFor } from '#shared/agents/workspace/skills/install.ts'
import { listInstalled } from '#shared/agents/workspace/skills/installed.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'

/** The maximum number of notes in one change of a memory. */
const notesPerWrite = 50

/** Copies the parent's notes to a clone. Idempotent. */
export async function copyMemory(table: Table, parent: Agent, clone: Agent): Promise<Agent> {
  let copied = clone
  let notes: Record<string, string> = {}
  const store = userStore(table, ownerOf(parent))
  for await (const row of rowsOf(store, noteRows.prefix({ agentId: parent.id }), noteRows.parse)) {
    const text = textOf(parent, row)
    if (text === undefined) continue
    notes[row.key] = text
    if (Object.keys(notes).length < notesPerWrite) continue
    copied = await writeNotes({ table }, { agent: copied, notes })
    notes = {}
  }
  return Object.keys(notes).length === 0 ? copied : writeNotes({ table }, { agent: copied, notes })
}

/** Installs the parent's skills in the catalogue's current versions, within the owner's limit. */
export async function copySkills(
  table: Table,
  parent: Agent,
  clone: Agent,
  adminEmails: string[],
): Promise<void> {
  const user = clone.userId === null ? undefined : await findUser(table, clone.userId)
  if (user === undefined) return
  const installer = { id: user.id, plan: user.plan, isAdmin: isAdmin(user, adminEmails) }
  for (const { id: skillId } of await listInstalled({ table }, { agent: parent })) {
    try {
      await installSkillFor({ table }, { installer, agentId: clone.id, skillId })
    } catch (error) {
      const known = error instanceof PlatformError
      // Skills that are no longer in the catalogue are omitted.
      if (known && error.kind === 'not-found') continue
      if (known && error.code === 'SKILL_LIMIT_REACHED') return
      throw error
    }
  }
}
