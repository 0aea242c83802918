import * as z from 'zod'
import { PlatformError } from '../platform/errors.ts'
import { userStore } from '../platform/table/user-store.ts'
import { type Agent, ownerOf } from '../agents/agent.ts'
import { longestNote, memoryLimits, noteName } from './memory/schema.ts'
import { planNotes } from './memory/write.ts'
import { agentGateway } from '../agent-gateway/gateway.ts'
import { changeWorkspace, type WorkspacePlan } from './change.ts'
import type { PushContext } from './push.ts'
import { rowsOf } from './pages.ts'
import { noteRows, textOf } from './rows.ts'
import { emptyWorkspace, isSynced } from '../agents/workspace-state.ts'

/** What one transaction takes with room to spare, a character being three bytes at most; the rest comes next time. */
const atOnce = { notes: 50, characters: 1_000_000 }

const answer = z.object({ memory: z.record(z.string(), z.unknown()) })

/** An agent may say anything; only what could have been written through the platform is taken. */
const noteText = z
  .string()
  .max(longestNote)
  .refine((text) => text.isWellFormed())

/**
 * Takes over what an agent has written into its memory itself, so that it outlives the container. A note that differs
 * from the table's was changed by the agent after it was given; one that is missing stays, since a lost file looks the
 * same as a forgotten one. Does nothing while the container lacks something of the table's: that comes first.
 * @returns the agent as it is then
 * @throws PlatformError 409, 502, 503, 504: reach/gateway.ts
 */
export async function pullMemory(ctx: PushContext, { agent }: { agent: Agent }): Promise<Agent> {
  if (!isSynced(agent)) return agent
  const gateway = await agentGateway(ctx, agent)
  const said = answer.safeParse(await gateway.get('/memory'))
  if (!said.success)
    throw new PlatformError('bad-gateway', 'The agent’s memory cannot be read', {
      code: 'AGENT_FAILED',
      cause: said.error,
    })
  const pulled = await newIn(ctx, agent, said.data.memory)
  if (Object.keys(pulled).length === 0) return agent
  const plan: WorkspacePlan = async (next, current) => {
    const moved = current.workspace?.revision !== agent.workspace?.revision
    // What was written meanwhile is newer than what the agent had.
    if (moved || current.generation !== agent.generation) return undefined
    const change = await planNotes(ctx, { agent: current, next, notes: pulled })
    // It is the agent's own, so its container has it already.
    const given = { given: next.revision, generation: agent.generation }
    return change && { ...change, state: { ...change.state, ...given } }
  }
  return changeWorkspace(ctx, { agent, plan })
}

/** The notes that the table does not have like this, as many as fit. */
async function newIn(
  { table }: PushContext,
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
  let left = atOnce.characters
  const taken: [string, string][] = []
  for (const [key, text] of candidates) {
    const [more, longer] = [lengths.has(key) ? 0 : 1, text.length - (lengths.get(key) ?? 0)]
    const full =
      (more > 0 && notes + more > memoryLimits.notes) ||
      (longer > 0 && characters + longer > memoryLimits.characters)
    if (full || text.length > left || taken.length === atOnce.notes) continue
    notes += more
    characters += longer
    left -= text.length
    taken.push([key, text])
  }
  return Object.fromEntries(taken)
}
