import { type AgentRef, ownerOf } from '../agents/agent.ts'
import { PlatformError } from '../platform/errors.ts'
import { newSeed } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import type { BrokerRequest } from './requests.ts'
import { brokerRequestRows } from './rows.ts'
import { giveSlotBack, mostLongUses, takeSlot } from './slots.ts'

const keptDays = 30

/**
 * What takes longer is written once before it is over, so that a process that is killed in it leaves that it began, and
 * takes a slot of its owner's: a short use needs no write for that.
 */
const longMs = 5000

/** Seconds after which a refused caller may try again. */
const busySeconds = 10

/** An answer of no more bytes is taken to come whole, so that it is recorded while it comes. */
const smallBytes = 65_536

/** The record of one use, from its beginning. */
export interface BrokerRecord {
  /** Aborted, with what to answer, where the use takes long and can have no slot. */
  cut: AbortSignal
  /** @param length of the answer's body, where the host says it */
  answered(status: number, length: number | undefined): void
  passedBack(bytes: number): void
  /** Writes it; what is called twice writes once. */
  end(): Promise<void>
}

/**
 * Begins to record one use of a credential. The row is written once, under an id of the use's own, when the use ends or its
 * answer's length is known; one that lasts for five seconds is written twice and holds a slot of its owner's meanwhile.
 * A record that nobody ends leaves its timer behind, so that `end` is called whatever happens.
 */
export function beginRecord(
  { table, log }: { table: Table; log: Log },
  agent: AgentRef,
  what: Pick<BrokerRequest, 'name' | 'method' | 'host'>,
): BrokerRecord {
  const now = Date.now()
  const sk = brokerRequestRows.sk({ agentId: agent.agentId, place: newSeed(now).toLowerCase() })
  const expiresAt = Math.ceil(now / 1000) + keptDays * 86_400
  const row: BrokerRequest = { at: new Date(now).toISOString(), ...what, status: null, bytes: null }
  const store = userStore(table, ownerOf(agent))
  const attributes = () => brokerRequestRows.attributes({ ...row }, { expiresAt })
  const write = () => store.put(sk, attributes())
  const part = () => store.write.put(sk, attributes())
  let passed = 0
  let ended: Promise<void> | undefined
  /** The write before the last, where there is one; the last waits for it, so that they keep their order. */
  let early: Promise<void> | undefined
  let earlyBytes: number | null = null
  /** When the slot expires that this use holds. */
  let expiry: number | undefined
  const cut = new AbortController()
  const begin = (bytes: number | null, writing: () => Promise<void>) => {
    earlyBytes = row.bytes = bytes
    early = writing()
    // Heard at the end, which may be later than the failure.
    early.catch((error: unknown) => log.warn('broker record', { error }))
  }
  const turnLong = async (before: Promise<void> | undefined) => {
    // The two would write the same row in any order; a failure of the first is heard already.
    await before?.catch(() => {})
    try {
      expiry = await takeSlot(store, part())
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
        await (expiry === undefined ? write() : giveSlotBack(store, part(), expiry))
      })()),
  }
}

function busy(): PlatformError {
  return new PlatformError(
    'too-many-requests',
    `${mostLongUses} uses of broker credentials by the agents of this owner have been under way for more than five seconds; this one was ended`,
    { code: 'BROKER_BUSY', headers: { 'Retry-After': String(busySeconds) } },
  )
}
