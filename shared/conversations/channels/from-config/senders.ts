import { type Agent, ownerOf } from '#shared/agents/record/agent.ts'
import { readSenders } from '#shared/agents/record/senders/read.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { channelSenderRows } from '../rows.ts'

/** Copies the owner's decisions about senders of the bot in the agent's container to a new channel. */
export async function keepDecisions(table: Table, agent: Agent, channelId: string): Promise<void> {
  const { channels } = await readSenders(table, agent)
  const decided = Object.entries(channels['telegram'] ?? {})
  if (decided.length === 0) return
  const senders = Object.fromEntries(
    decided.map(([id, { name, state, decidedAt }]) => [
      id,
      { name: name ?? '', state, code: null, at: Date.parse(decidedAt) },
    ]),
  )
  const key = { userId: ownerOf(agent), agentId: agent.id, channelId }
  // A row that exists contains later decisions.
  await tryCommit(table, {
    senders: { put: channelSenderRows.put(key, { senders, revision: 1 }), ...absent() },
  })
}
