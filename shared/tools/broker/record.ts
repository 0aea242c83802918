import { type AgentRef, ownerOf } from '#shared/agents/record/agent.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { newSeed } from '#shared/platform/ids.ts'
import type { Log } from '#shared/platform/log.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import type { BrokerRequest } from './requests.ts'
import { brokerRequestRows } from './rows.ts'
import { freeSlot, maxLongUses, claimSlot } from './slots.ts'

const retentionDays = 30

/**
 * A use that takes longer is recorded once before it ends, so that a killed process leaves a record, and occupies one
 * of its owner's slots.
 */
const longMs = 5000

/** The seconds after which a rejected caller may retry. */
const busySeconds = 10

/** A response of at most this size is expected to arrive completely, so it is recorded while it arrives. */
const smallBytes = 65_536

/** The record of one use of another host on behalf of an agent. */
export interface UseRecord {
  /** Aborted with the error of the use if it takes long and no slot is free. */
  cut: AbortSignal
  /** @param length the body's length, if the host sends it */
  answered(status: number, length: number | undefined): void
  passedBack(bytes: number): void
  /** Writes the record once, even if it is called twice. */
  end(): Promise<void>
}

/** The row of a use. */
interface UseRow {
  sk: string
  /** Returns its attributes for the current outcome. */
  attributes(outcome: Pick<BrokerRequest, 'status' | 'bytes'>): Record<string, unknown>
}

/** Starts the record of one use of a credential. */
export function beginRecord(
  ctx: { table: Table; log: Log },
  agent: AgentRef,
  what: Pick<BrokerRequest, 'name' | 'method' | 'host'>,
): UseRecord {
  const now = Date.now()
  const expiresAt = useExpiry(now)
  return beginUse(ctx, agent, {
    sk: brokerRequestRows.sk({ agentId: agent.agentId, place: newSeed(now).toLowerCase() }),
    attributes: (outcome) =>
      brokerRequestRows.attributes({ at: isoOf(now), ...what, ...outcome }, { expiresAt }),
  })
}

/** Returns when the record of a use expires, in epoch seconds. @param now epoch milliseconds */
export function useExpiry(now: number): number {
  return Math.ceil(now / 1000) + retentionDays * 86_400
}

/**
 * Starts the record of one use. Its row is written when the use ends or the response's length is known. A use that
 * lasts five seconds is written twice and occupies one of its owner's slots. `end` must always be called to stop the
 * timer.
 */
export function beginUse(
  { table, log }: { table: Table; log: Log },
  agent: AgentRef,
  { sk, attributes }: UseRow,
): UseRecord {
  const row: Pick<BrokerRequest, 'status' | 'bytes'> = { status: null, bytes: null }
  const store = userStore(table, ownerOf(agent))
  const write = () => store.put(sk, attributes({ ...row }))
  const part = () => store.write.put(sk, attributes({ ...row }))
  let passed = 0
  let ended: Promise<void> | undefined
  /** The first of two writes. The second waits for it, to keep their order. */
  let early: Promise<void> | undefined
  let earlyBytes: number | null = null
  /** The expiry of this use's slot. */
  let expiry: number | undefined
  const cut = new AbortController()
  const begin = (bytes: number | null, writing: () => Promise<void>) => {
    earlyBytes = row.bytes = bytes
    early = writing()
    // Handled at the end, which may come after the failure.
    early.catch((error: unknown) => log.warn('broker record', { error }))
  }
  const turnLong = async (before: Promise<void> | undefined) => {
    // Both writes have the same row, so they must not run concurrently. The error of the first write is already logged.
    await before?.catch(() => {})
    try {
      expiry = await claimSlot(store, part())
    } catch (error) {
      cut.abort(error)
      throw error
    }
    if (expiry === undefined) cut.abort(busy())
  }
  const timer = setTimeout(() => begin(null, () => turnLong(early)), longMs)
  return {
    cut: cut.signal,
    answered(status, length = Infinity) {
      row.status = status
      if (early === undefined && length <= smallBytes) begin(length, write)
    },
    passedBack(bytes) {
      passed += bytes
    },
    end: () =>
      (ended ??= (async () => {
        clearTimeout(timer)
        const bytes = row.status === null ? null : passed
        const written = await early?.then(
          () => true,
          () => false,
        )
        if (written === true && bytes !== null && earlyBytes === bytes) return
        row.bytes = bytes
        await (expiry === undefined ? write() : freeSlot(store, part(), expiry))
      })()),
  }
}

function busy(): PlatformError {
  return new PlatformError(
    'too-many-requests',
    `${maxLongUses} uses of credentials and connections by this owner’s agents have been in progress for more than five seconds; this one was ended`,
    { code: 'BROKER_BUSY', headers: { 'Retry-After': String(busySeconds) } },
  )
}
