import * as z from 'zod'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { agentGateway, type ReachContext } from '../agent-gateway/gateway.ts'
import { type Agent, ownerOf } from '../record/agent.ts'
import { emptyWorkspace, isSynced } from '../record/workspace-state.ts'
import { changeWorkspace, type WorkspacePlan } from './change.ts'
import { longestNote, memoryLimits, noteName } from './memory/schema.ts'
import { planNotes } from './memory/write.ts'
import { rowsOf } from './pages.ts'
import { noteRows, textOf } from './rows.ts'

/** The limits of one transaction. A character has up to three bytes. The remaining notes are read at the next check. */
const maxAccepted = { notes: 50, characters: 1_000_000 }

const answer = z.object({ memory: z.record(z.string(), z.unknown()) })

/** An agent may respond with anything; only notes that the platform's own API would accept are stored. */
const noteText = z
  .string()
  .max(longestNote)
  .refine((text) => text.isWellFormed())

/**
 * Stores notes that an agent has written itself, so that they outlive the container. A note that differs from the
 * table's was changed by the agent. A missing note stays, because a lost file looks like a deleted one. Does nothing
 * while the container is outdated: it is updated first.
 * @returns the current agent
 * @throws PlatformError 409, 502, 503, 504: agent-gateway/gateway.ts
 */
export async function pullMemory(
  ctx: Pick<Context, 'table'> & ReachContext,
  { agent }: { agent: Agent },
): Promise<Agent> {
  if (!isSynced(agent)) return agent
  const gateway = await agentGateway(ctx, agent)
  const response = answer.safeParse(await gateway.get('/memory'))
  if (!response.success)
    throw new PlatformError('bad-gateway', 'The agent’s memory cannot be read', {
      code: 'AGENT_FAILED',
      cause: response.error,
    })
  const pulled = await newIn(ctx, agent, response.data.memory)
  if (Object.keys(pulled).length === 0) return agent
  const plan: WorkspacePlan = async (next, current) => {
    const moved = current.workspace?.revision !== agent.workspace?.revision
    // A concurrent change of the table is newer than the agent's note.
    if (moved || current.generation !== agent.generation) return undefined
    const change = await planNotes(ctx, { agent: current, next, notes: pulled })
    // The note comes from the agent, so its container already has this revision.
    const pushed = { given: next.revision, generation: agent.generation }
    return change && { ...change, state: { ...change.state, ...pushed } }
  }
  return changeWorkspace(ctx, { agent, plan })
}

/** Returns the notes that differ from the table's, as many as fit. */
async function newIn(
  { table }: Pick<Context, 'table'>,
  agent: Agent,
  memory: Readonly<Record<string, unknown>>,
): Promise<Record<string, string>> {
  const candidates = new Map<string, string>()
  for (const [key, value] of Object.entries(memory)) {
    const text = noteText.safeParse(value)
    if (noteName.test(key) && text.success) candidates.set(key, text.data)
  }
  const lengths = new Map<string, number>()
  const store = userStore(table, ownerOf(agent))
  for await (const row of rowsOf(store, noteRows.prefix({ agentId: agent.id }), noteRows.parse)) {
    const text = textOf(agent, row)
    if (candidates.get(row.key) === text) candidates.delete(row.key)
    if (text !== undefined) lengths.set(row.key, text.length)
  }
  return fitting(candidates, lengths, agent)
}

function fitting(
  candidates: ReadonlyMap<string, string>,
  lengths: ReadonlyMap<string, number>,
  { workspace = emptyWorkspace }: Agent,
): Record<string, string> {
  let { notes, characters } = workspace
  let remaining = maxAccepted.characters
  const accepted: [string, string][] = []
  for (const [key, text] of candidates) {
    const [more, longer] = [lengths.has(key) ? 0 : 1, text.length - (lengths.get(key) ?? 0)]
    const full =
      (more > 0 && notes + more > memoryLimits.notes) ||
      (longer > 0 && characters + longer > memoryLimits.characters)
    if (full || text.length > remaining || accepted.length === maxAccepted.notes) continue
    notes += more
    characters += longer
    remaining -= text.length
    accepted.push([key, text])
  }
  return Object.fromEntries(accepted)
}
