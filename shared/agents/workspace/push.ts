import type { Context } from '#shared/platform/identity/context.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { userStore, type UserStore } from '#shared/platform/table/user-store.ts'
import { type AgentGateway, gatewayOf, type ReachContext } from '../agent-gateway/gateway.ts'
import { type Agent, ownerOf } from '../record/agent.ts'
import { changeAgent } from '../record/change.ts'
import { isSynced, type WorkspaceState } from '../record/workspace-state.ts'
import { rowsOf } from './pages.ts'
import { type NoteRow, noteRows, type SkillRow, skillRows, textOf } from './rows.ts'

/**
 * Updates a container's memory and skills from the table: everything after a start, otherwise only the changes. It is
 * idempotent and can run concurrently. If it fails, the row still shows that the container is outdated, and the next
 * check retries.
 * @returns the current agent
 * @throws PlatformError 409, 502, 503, 504: agent-gateway/gateway.ts
 */
export async function pushWorkspace(
  ctx: Pick<Context, 'table'> & ReachContext,
  { agent }: { agent: Agent },
): Promise<Agent> {
  const { workspace } = agent
  if (workspace === undefined || isSynced(agent)) return agent
  const gateway = await gatewayOf(ctx, agent)
  const store = userStore(ctx.table, ownerOf(agent))
  if (workspace.reset > workspace.given) await resetContainer(gateway, workspace.reset)
  const lacking = missingFrom(agent, workspace)
  const tombstones: string[] = []
  const agentId = agent.id
  for await (const row of rowsOf(store, noteRows.prefix({ agentId }), noteRows.parse)) {
    const text = textOf(agent, row)
    if (text === undefined) tombstones.push(noteRows.sk({ agentId, key: row.key }))
    if (lacking(row)) await pushNote(gateway, row, text)
  }
  for await (const row of rowsOf(store, skillRows.prefix({ agentId }), skillRows.parse)) {
    if (row.document === undefined) tombstones.push(skillRows.sk({ agentId, skillId: row.skillId }))
    if (lacking(row)) await pushSkill(gateway, row)
  }
  const stored = await changeAgent(ctx, { agent, decide: (current) => markPushed(current, agent) })
  await dropTombstones(store, tombstones, workspace.revision)
  return stored ?? agent
}

function missingFrom({ generation }: Agent, { generation: pushed, given }: WorkspaceState) {
  return ({ revision }: { revision: number }) => pushed !== generation || revision > given
}

/**
 * Records only the revision that was current before the rows were read, because a later change may have been missed.
 */
function markPushed(current: Agent, pushed: Agent): Agent {
  const { workspace, generation } = current
  const revision = pushed.workspace?.revision
  if (workspace === undefined || revision === undefined) return current
  if (generation !== pushed.generation || isSynced(current)) return current
  const given = workspace.generation === generation ? Math.max(workspace.given, revision) : revision
  return { ...current, workspace: { ...workspace, given, generation } }
}

async function resetContainer(gateway: AgentGateway, revision: number): Promise<void> {
  await gateway.delete(`/memory?revision=${revision}`)
  await gateway.delete(`/sessions?revision=${revision}`)
}

async function pushNote(
  gateway: AgentGateway,
  { key, revision }: NoteRow,
  text: string | undefined,
): Promise<void> {
  const path = `/memory/${encodeURIComponent(key)}?revision=${revision}`
  if (text === undefined) await gateway.delete(path)
  else await gateway.put(path, { memory: text })
}

async function pushSkill(gateway: AgentGateway, row: SkillRow): Promise<void> {
  const { skillId, document, enabled, revision } = row
  const path = `/skills/${encodeURIComponent(skillId)}?revision=${revision}`
  if (document === undefined) await gateway.delete(path)
  else await gateway.put(path, { document, enabled })
}

/** Deletes the rows of removed notes and skills after the container has removed them. */
async function dropTombstones(store: UserStore, tombstones: readonly string[], revision: number) {
  for (const sk of tombstones)
    // A row that was written again stays.
    await tryWrite(store.delete(sk, { if: '#revision <= :revision', values: { revision } }))
}
