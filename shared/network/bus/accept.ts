import { isDeepStrictEqual } from 'node:util'
import { ownerOf } from '#shared/agents/record/agent.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import { type Parts, type Refusals, tryCommit } from '#shared/platform/table/commit.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import type { Table, Write } from '#shared/platform/table/port.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { epochSeconds, isoOf } from '#shared/platform/times.ts'
import { type Allowance, countMessage, messageLimitReached } from './allowance.ts'
import { leaseMs, type OutstandingWork, openAttributes } from './delivery/outstanding.ts'
import { inboxRetentionSeconds, placeOf, putIntoInbox, readEnd } from './inbox/put.ts'
import type { Negotiation, ReceivedMessage } from './negotiation.ts'
import { messageRows, pairRows } from './rows.ts'

export interface Acceptance {
  received: ReceivedMessage
  /** The message's JSON. */
  text: string
  /** The work that remains after the acceptance. */
  open: OutstandingWork | undefined
  /** The daily limit of the sender's owner; undefined for an agent of the platform. */
  allowance: Allowance | undefined
  negotiation: Negotiation | undefined
  /** Writes in the same transaction. */
  along?:
    | { parts: Parts; /** Returns the error if a part was refused. */ refused: () => Error }
    | undefined
}

/**
 * Accepts a verified message in one transaction: its id, the day's count, the changes of a negotiation, and its
 * position in the recipient's inbox or its pending delivery.
 * @throws PlatformError as `sendMessage`, and 503 if every attempt conflicts with a concurrent message
 */
export async function accept(
  { table }: { table: Table },
  { received, text, open, allowance, negotiation, along }: Acceptance,
): Promise<void> {
  const { recipient, now } = received
  let moves = await decide(table, received, negotiation)
  const delivers = open?.what === 'deliver'
  let end = delivers ? undefined : await readEnd(table, recipient)
  await retryOptimistically(async () => {
    const refusals: Refusals<Parts> | undefined = await tryCommit(table, {
      ...moves,
      ...along?.parts,
      message: seen(received, open, delivers ? undefined : placeOf(end)),
      count: allowance && countMessage(allowance, now),
      ...(delivers ? {} : putIntoInbox({ recipient, text, now }, end)),
      pair: pairWrite(received),
    })
    if (refusals === undefined) return undefined
    if (along !== undefined && Object.keys(along.parts).some((name) => name in refusals))
      throw along.refused()
    if (refusals['holder'] !== undefined) throw notFound('Recipient')
    if (refusals.message !== undefined) throw alreadyReceived()
    const movesRefused = Object.keys(refusals).some((name) => name.startsWith(movePrefix))
    if (movesRefused) {
      const decided = await decide(table, received, negotiation)
      if (isDeepStrictEqual(decided, moves))
        throw new PlatformError('conflict', 'The request of this message was already answered')
      moves = decided
    } else if (allowance !== undefined && refusals.count !== undefined) {
      throw messageLimitReached(allowance, refusals.count.item)
    }
    if (!delivers) end = await readEnd(table, recipient)
    return overtaken
  })
}

/** Returns the error 409 for a messageId that was accepted before. */
export function alreadyReceived(): PlatformError {
  return new PlatformError('conflict', 'A message with this messageId was already received')
}

/** Separates a negotiation's parts from the bus's own parts. */
const movePrefix = 'move '

async function decide(
  table: Table,
  received: ReceivedMessage,
  negotiation: Negotiation | undefined,
): Promise<Parts> {
  const parts = (await negotiation?.({ table }, received)) ?? {}
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [`${movePrefix}${name}`, part]),
  )
}

function seen(
  { message, now }: ReceivedMessage,
  open: OutstandingWork | undefined,
  place: number | undefined,
): Write {
  const { messageId, from, to } = message
  return {
    put: messageRows.put(
      { messageId },
      {
        messageId,
        from: from.agentId,
        to: to.agentId,
        acceptedAt: isoOf(now),
        ...(place !== undefined && { place }),
      },
      {
        expiresAt: epochSeconds(now) + inboxRetentionSeconds,
        ...openAttributes(messageId, open, now + leaseMs),
      },
    ),
    ...absent(now),
  }
}

/** Stored only for agents of one owner, so that no user sees who communicates with another user's agents. */
function pairWrite({ message, sender, recipient, now }: ReceivedMessage): Write | undefined {
  const userId = ownerOf(sender)
  if (userId !== ownerOf(recipient)) return undefined
  const [first = '', second = ''] = [sender.id, recipient.id].sort()
  const { action } = message
  return {
    put: pairRows.put(
      { userId, first, second },
      { from: sender.id, to: recipient.id, action, at: isoOf(now) },
      { expiresAt: epochSeconds(now) + inboxRetentionSeconds },
    ),
  }
}
