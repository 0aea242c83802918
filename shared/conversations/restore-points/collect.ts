import { type Agent, ownerOf } from '#shared/agents/record/agent.ts'
import { secretNames } from '#shared/agents/record/config/secrets.ts'
import { rowsOf } from '#shared/agents/workspace/pages.ts'
import { noteRows, skillRows, textOf } from '#shared/agents/workspace/rows.ts'
import { installedSkill } from '#shared/agents/workspace/skills/installed.ts'
import { getPolicy } from '#shared/permits/policy/get.ts'
import { everyItem } from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore, type UserStore } from '#shared/platform/table/user-store.ts'
import { messageRows } from '../chat/rows.ts'
import { everyTask } from '../scheduled-tasks/task.ts'
import type { SnapshotContent, StoredMessage } from './content.ts'

/** The newest messages are stored, up to this many characters as JSON. */
const maxCharacters = 8_000_000

/** Collects the data of an agent that its owner could lose. */
export async function collect(table: Table, agent: Agent): Promise<SnapshotContent> {
  const store = userStore(table, ownerOf(agent))
  const { messages, cut } = await messagesOf(store, agent.id)
  const { id, name, model, plan, aiProvider, desired, asleep, workspace } = agent
  return {
    version: 1,
    agent: {
      id,
      name,
      model,
      plan,
      aiProvider,
      config: withoutSecrets(agent.config),
      running: desired === 'running' || asleep === true,
      sleepsByDefault: agent.sleepsByDefault,
      resetAt: workspace?.resetAt,
    },
    notes: await notesOf(store, agent),
    skills: await skillsOf(store, agent.id),
    tasks: await tasksOf(store, agent.id),
    policy: await getPolicy({ table }, agent),
    messages,
    cut,
  }
}

/** Rows from an earlier release contain plaintext secrets. */
function withoutSecrets(config: Agent['config']): Record<string, unknown> {
  const names: readonly string[] = secretNames
  return Object.fromEntries(Object.entries(config).filter(([name]) => !names.includes(name)))
}

async function notesOf(store: UserStore, agent: Agent): Promise<SnapshotContent['notes']> {
  const notes: SnapshotContent['notes'] = []
  for await (const row of rowsOf(store, noteRows.prefix({ agentId: agent.id }), noteRows.parse)) {
    const text = textOf(agent, row)
    if (text !== undefined) notes.push({ key: row.key, text, updatedAt: row.updatedAt })
  }
  return notes
}

async function skillsOf(store: UserStore, agentId: string): Promise<SnapshotContent['skills']> {
  const skills: SnapshotContent['skills'] = []
  for await (const row of rowsOf(store, skillRows.prefix({ agentId }), skillRows.parse)) {
    const skill = installedSkill(row)
    if (skill === undefined) continue
    const { skillId, name, description, version, document, enabled, installedAt } = skill
    skills.push({ skillId, name, description, version, document, enabled, installedAt })
  }
  return skills
}

async function tasksOf(store: UserStore, agentId: string): Promise<SnapshotContent['tasks']> {
  const tasks = await everyTask(store)
  return tasks
    .filter((task) => task.agentId === agentId)
    .map(({ id, name, description, cronSchedule, timezone, prompt, enabled, createdAt }) => ({
      id,
      name,
      description,
      cronSchedule,
      timezone,
      prompt,
      enabled,
      createdAt,
    }))
}

async function messagesOf(
  store: UserStore,
  agentId: string,
): Promise<{ messages: StoredMessage[]; cut: boolean }> {
  const messages: StoredMessage[] = []
  let characters = 0
  const beginsWith = messageRows.prefix({ agentId })
  const items = everyItem((from) => store.query({ beginsWith, descending: true, ...from }))
  for await (const item of items) {
    const row = messageRows.parse(item)
    characters += JSON.stringify(row).length
    if (characters > maxCharacters) return { messages: messages.toReversed(), cut: true }
    messages.push({ seed: item.sk.slice(beginsWith.length), row })
  }
  return { messages: messages.toReversed(), cut: false }
}
