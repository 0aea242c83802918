import { ConditionFailed, type Table } from '../../platform/table/port.ts'
import { userStore, type UserStore } from '../../platform/table/user-store.ts'
import { type Agent, ownerOf } from '../agent.ts'
import { changeAgent } from '../change.ts'
import { type AgentGateway, gatewayOf, type ReachContext } from '../reach/gateway.ts'
import { rowsOf } from './pages.ts'
import { noteKey, type NoteRow, skillKey, type SkillRow, textOf, toNote, toSkill } from './rows.ts'
import { isFilled, type WorkspaceState } from './state.ts'

export interface FillContext extends ReachContext {
  table: Table
}

/**
 * Gives an agent's container what it lacks of the memory and skills in the table: everything at a new start, else what
 * changed since. Done twice or by several at once it is the same, and where it fails the row goes on saying that
 * something is lacking, for the next check to see.
 * @returns the agent as it is then
 * @throws PlatformError 409, 502, 503, 504: reach/gateway.ts
 */
export async function fillWorkspace(ctx: FillContext, agent: Agent): Promise<Agent> {
  const { workspace } = agent
  if (workspace === undefined || isFilled(agent)) return agent
  const gateway = await gatewayOf(ctx, agent)
  const store = userStore(ctx.table, ownerOf(agent))
  if (workspace.reset > workspace.given) await forgetAll(gateway, workspace.reset)
  const lacking = missingFrom(agent, workspace)
  const told: string[] = []
  for await (const row of rowsOf(store, noteKey(agent.id), toNote)) {
    const text = textOf(agent, row)
    if (text === undefined) told.push(noteKey(agent.id, row.key))
    if (lacking(row)) await giveNote(gateway, row, text)
  }
  for await (const row of rowsOf(store, skillKey(agent.id), toSkill)) {
    if (row.document === undefined) told.push(skillKey(agent.id, row.skillId))
    if (lacking(row)) await giveSkill(gateway, row)
  }
  const stored = await changeAgent(ctx.table, agent, (current) => noteGiven(current, agent))
  await dropTold(store, told, workspace.revision)
  return stored ?? agent
}

function missingFrom({ generation }: Agent, { generation: filled, given }: WorkspaceState) {
  return ({ revision }: { revision: number }) => filled !== generation || revision > given
}

/** Only what was read before the rows counts as given: a change that came since may have been missed. */
function noteGiven(current: Agent, filled: Agent): Agent {
  const { workspace, generation } = current
  const revision = filled.workspace?.revision
  if (workspace === undefined || revision === undefined) return current
  if (generation !== filled.generation || isFilled(current)) return current
  const given = workspace.generation === generation ? Math.max(workspace.given, revision) : revision
  return { ...current, workspace: { ...workspace, given, generation } }
}

async function forgetAll(gateway: AgentGateway, revision: number): Promise<void> {
  await gateway.delete(`/memory?revision=${revision}`)
  await gateway.delete(`/sessions?revision=${revision}`)
}

async function giveNote(
  gateway: AgentGateway,
  { key, revision }: NoteRow,
  text: string | undefined,
): Promise<void> {
  const path = `/memory/${encodeURIComponent(key)}?revision=${revision}`
  if (text === undefined) await gateway.delete(path)
  else await gateway.put(path, { memory: text })
}

async function giveSkill(gateway: AgentGateway, row: SkillRow): Promise<void> {
  const { skillId, document, enabled, revision } = row
  const path = `/skills/${encodeURIComponent(skillId)}?revision=${revision}`
  if (document === undefined) await gateway.delete(path)
  else await gateway.put(path, { document, enabled })
}

/** What is gone needs no row any more, once the container knows. */
async function dropTold(store: UserStore, told: readonly string[], revision: number) {
  for (const sk of told)
    await store
      .delete(sk, { if: '#revision <= :revision', values: { revision } })
      .catch((error: unknown) => {
        // It is there again, or somebody else dropped it.
        if (!(error instanceof ConditionFailed)) throw error
      })
}
