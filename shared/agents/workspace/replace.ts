import { changeItem } from '#shared/platform/table/change-item.ts'
import type { Table, Write } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Agent, ownerOf } from '../record/agent.ts'
import { emptyWorkspace, type WorkspaceState } from '../record/workspace-state.ts'
import { changeWorkspace } from './change.ts'
import { writeNotes } from './memory/write.ts'
import { rowsOf } from './pages.ts'
import { installsRows, noteRows, type SkillRow, skillRows } from './rows.ts'
import { type InstalledSkill, installedSkill } from './skills/installed.ts'
import { type Install, type Installs, installsWrite, readInstalls } from './skills/installs.ts'

type GivenSkill = Omit<InstalledSkill, 'revision' | 'updatedAt'>

interface WorkspaceContent {
  notes: readonly { key: string; text: string }[]
  skills: readonly GivenSkill[]
  /** When its conversations were last reset, ISO 8601. */
  resetAt?: string | undefined
}

/** A transaction has at most 4 MB, and a character takes up to three bytes. */
const charactersPerWrite = 1_000_000
const notesPerWrite = 50

/**
 * Replaces an agent's memory and skills, also in its container, which forgets its conversations. Idempotent.
 * @returns the current agent
 * @throws PlatformError 404 if the agent is deleted in the meantime
 */
export async function replaceWorkspace(
  { table }: { table: Table },
  { agent, content, places }: Placed & { agent: Agent },
): Promise<Agent> {
  let current = await replaceSkills(table, { agent, content, places })
  for (const notes of batches(content.notes))
    current = await writeNotes({ table }, { agent: current, notes })
  return current
}

/**
 * Writes the memory and skills of an agent that does not exist yet. Idempotent.
 * @returns the workspace for its row
 */
export async function writeWorkspace(
  { table }: { table: Table },
  { userId, agentId, content, places }: Placed & { userId: string; agentId: string },
): Promise<WorkspaceState> {
  const store = userStore(table, userId)
  const revision = 1
  const at = new Date().toISOString()
  await changeItem(store.row(installsRows.sk({})), (item) => {
    const before = item === undefined ? { installs: [], revision: 0 } : installsRows.parse(item)
    const { installs } = fitting(before, { agentId, content, places })
    const attributes = installsRows.attributes({ installs, revision: before.revision + 1 })
    return before.revision === 0
      ? { put: attributes, condition: { if: 'attribute_not_exists(pk)' } }
      : {
          put: attributes,
          condition: { if: '#revision = :seen', values: { seen: before.revision } },
        }
  })
  const { installs } = await readInstalls({ table }, { userId })
  for (const skill of content.skills) {
    const { skillId } = skill
    if (!installs.some((one) => one.agentId === agentId && one.skillId === skillId)) continue
    const row = skillRows.attributes({ ...skill, revision, updatedAt: at })
    await store.put(skillRows.sk({ agentId, skillId }), row)
  }
  let characters = 0
  for (const { key, text } of content.notes) {
    const row = noteRows.attributes({ key, text, revision, updatedAt: at })
    await store.put(noteRows.sk({ agentId, key }), row)
    characters += text.length
  }
  const notes = content.notes.length
  return { ...emptyWorkspace, revision, resetAt: content.resetAt, notes, characters }
}

interface Placed {
  content: WorkspaceContent
  /** The maximum number of skills of the owner; skills beyond it are omitted. */
  places: number
}

/** Returns the skills within the owner's limit, and the resulting installs. */
function fitting(
  before: Installs,
  { agentId, content, places }: Placed & { agentId: string },
): { skills: GivenSkill[]; installs: Install[] } {
  const others = before.installs.filter((one) => one.agentId !== agentId)
  const skills = content.skills.slice(0, Math.max(0, places - others.length))
  const own = skills.map(({ skillId }) => ({ agentId, skillId }))
  return { skills, installs: [...others, ...own] }
}

/** Notes older than this change's revision are deleted with it. */
async function replaceSkills(
  table: Table,
  { agent, content, places }: Placed & { agent: Agent },
): Promise<Agent> {
  const userId = ownerOf(agent)
  const agentId = agent.id
  const store = userStore(table, userId)
  return changeWorkspace(
    { table },
    {
      agent,
      plan: async ({ revision }) => {
        const before = await readInstalls({ table }, { userId })
        const { skills, installs } = fitting(before, { agentId, content, places })
        const at = new Date().toISOString()
        const rows = new Map<string, Write>()
        for await (const row of rowsOf(store, skillRows.prefix({ agentId }), skillRows.parse))
          if (installedSkill(row) !== undefined)
            rows.set(row.skillId, { put: tombstone({ userId, agentId }, row, revision, at) })
        for (const skill of skills) {
          const key = { userId, agentId, skillId: skill.skillId }
          const put = skillRows.put(key, { ...skill, revision, updatedAt: at })
          rows.set(skill.skillId, { put })
        }
        return {
          rows: [...rows.values()],
          installs: installsWrite(userId, before, installs),
          state: { reset: revision, resetAt: content.resetAt, notes: 0, characters: 0 },
        }
      },
    },
  )
}

function tombstone(
  owner: { userId: string; agentId: string },
  { skillId }: SkillRow,
  revision: number,
  updatedAt: string,
) {
  return skillRows.put({ ...owner, skillId }, { skillId, enabled: false, revision, updatedAt })
}

function* batches(notes: WorkspaceContent['notes']): Generator<Record<string, string>> {
  let batch: Record<string, string> = {}
  let characters = 0
  for (const { key, text } of notes) {
    const isFull = Object.keys(batch).length === notesPerWrite
    if (isFull || (characters > 0 && characters + text.length > charactersPerWrite)) {
      yield batch
      batch = {}
      characters = 0
    }
    batch[key] = text
    characters += text.length
  }
  if (Object.keys(batch).length > 0) yield batch
}
