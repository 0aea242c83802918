import { setTimeout as wait } from 'node:timers/promises'
import type { ChatAnswer } from '#shared/conversations/chat/schema.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { newSeed } from '#shared/platform/ids.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { Deadline, PaidWorkResult } from '../context.ts'
import { turnRows } from './rows.ts'
import { paidTurns } from './topic.ts'

export interface PaidTurnRequest {
  agentId: string
  userId: string
  message: string
  /** The amount that the owner earns before the cost of tokens, in millionths of a US dollar. */
  earnsMicroUsd: number
}

const pollMs = { first: 50, longest: 500 }

const retentionSeconds = 3600

/**
 * Sends a message to an agent through a job and waits for the reply. The function that takes payments needs internet
 * access, which functions that reach agents do not have. The message is therefore sent through a queue, and the reply
 * is returned in a row.
 * @throws PlatformError 502 if the agent fails or does not answer before the deadline
 */
export async function askTurn(
  { table, queues }: { table: Table; queues: Queues<'paid-turns'> },
  question: PaidTurnRequest,
  deadline: Deadline,
): Promise<PaidWorkResult<ChatAnswer>> {
  const now = Date.now()
  const turnId = newSeed(now)
  const expiresAt = Math.ceil(now / 1000) + retentionSeconds
  const turn = { ...question, state: 'asked' as const, until: deadline.at, expiresAt }
  await table.put(turnRows.put({ turnId }, turn))
  await queues.send(paidTurns, { turnId })
  for (let ms = pollMs.first; ; ms = Math.min(pollMs.longest, ms * 1.5)) {
    const row = await table.get(turnRows.key({ turnId }))
    // The row expires after an hour.
    if (row === undefined) throw failed('its turn has expired')
    const { state, answer, turn: name, failure } = turnRows.parse(row)
    if (state === 'answered' && answer !== undefined) return { answer, turn: name }
    if (state === 'failed') throw failed(failure ?? 'it failed')
    await wait(ms, undefined, { signal: deadline.signal }).catch((cause: unknown) => {
      throw failed('it did not answer in time', cause)
    })
  }
}

function failed(reason: string, cause?: unknown): PlatformError {
  return new PlatformError('bad-gateway', `The agent did not answer: ${reason}`, {
    code: 'AGENT_FAILED',
    cause,
  })
}
