import type * as z from 'zod'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Agent, ownerOf } from '../agent.ts'
import { senderRows } from '../rows.ts'

/** The chat services whose bots OpenClaw runs by a token of the agent's config. */
export const botChannels = ['discord'] as const

export type BotChannel = (typeof botChannels)[number]

export type Senders = z.output<ReturnType<(typeof senderRows)['declared']['schema']>>

/** Reads the approved and blocked senders of an agent's bots. */
export async function readSenders(table: Table, agent: Agent): Promise<Senders> {
  const row = await userStore(table, ownerOf(agent)).get(senderRows.sk({ agentId: agent.id }))
  return row === undefined ? { channels: {}, revision: 0 } : senderRows.parse(row)
}

/** Returns the ids of the approved senders of a bot. */
export function approvedOn(senders: Senders, channel: BotChannel): string[] {
  return sendersOn(senders, channel, 'approved')
}

/** Returns the ids of the approved or blocked senders of a bot. */
export function sendersOn(
  { channels }: Senders,
  channel: BotChannel,
  wanted: 'approved' | 'blocked',
): string[] {
  const senders = Object.entries(channels[channel] ?? {})
  return senders.filter(([, { state }]) => state === wanted).map(([id]) => id)
}
