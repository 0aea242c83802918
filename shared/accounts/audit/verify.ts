import { chainBeginning, hashOf } from '#shared/platform/identity/audit-entry.ts'
import type { AuditAction } from '#shared/platform/identity/audit.ts'
import {
  auditHeadRows,
  auditSortKey,
  auditRows,
  headIndexKey,
} from '#shared/platform/identity/rows.ts'
import type { From } from '#shared/platform/table/pages.ts'
import type { Item, Table } from '#shared/platform/table/port.ts'
import { againMs } from './publish.ts'

/** A fault in a chain, with the number of its entry. */
interface Finding {
  userId: string
  seq: number
  /** The last entry, if several consecutive entries have this fault. */
  to?: number
  /** The fault for operators: `was changed`. */
  says: string
}

export interface ChainReport {
  /** The number of entries read. */
  entries: number
  findings: Finding[]
}

/** The hashes in a log, by entry number. */
type Published = ReadonlyMap<number, ReadonlySet<string>>

interface VerifyInput {
  userId: string
  /** True if the user's account exists, which the first entry must have created. Undefined if unknown. */
  hasProfile?: boolean | undefined
  /** This user's heads in the log. */
  published?: Published | undefined
  /** Epoch milliseconds. */
  now?: number
}

/** The last entry that was read. */
interface Place {
  seq: number
  hash: unknown
}

const pageSize = 500

/**
 * Reads one user's chain from its beginning and finds each entry that was changed, inserted, removed, moved or cut
 * off. With published heads it does so even if all hashes were recomputed afterwards. Entries may be added during
 * the read. Rows are compared without parsing: an extra or missing attribute counts as a change.
 */
export async function verifyChain(
  { table }: { table: Pick<Table, 'get' | 'query'> },
  { userId, hasProfile, published = new Map(), now = Date.now() }: VerifyInput,
): Promise<ChainReport> {
  const findings: Finding[] = []
  const find: Find = (seq, says, to = seq) =>
    void findings.push({ userId, seq, ...(to > seq && { to }), says })
  let end: Place = chainBeginning
  let entries = 0
  for (;;) {
    const before = end.seq
    for await (const item of itemsBehind(table, userId, end.seq)) {
      entries++
      if (entries === 1) checkBeginning(item, { userId, hasProfile }, find)
      end = await follow(item, end, published, find)
    }
    const head = await table.get(auditHeadRows.key({ userId }))
    // An entry and the head that names it are written together: an entry that is still missing was cut off.
    if (Number(head?.seq ?? 0) <= end.seq || end.seq === before) {
      checkEnd(head, end, find)
      if (head !== undefined) checkPlace(head, userId, now, find)
      break
    }
  }
  if (hasProfile && end.seq === 0 && findings.length === 0)
    find(1, 'is missing: the account exists without an audit')
  for (const seq of published.keys()) if (seq > end.seq) find(seq, 'was published and is missing')
  return { entries, findings }
}

/** Yields every row of the audit after an entry, by key, malformed rows included. */
async function* itemsBehind(
  table: Pick<Table, 'query'>,
  userId: string,
  seq: number,
): AsyncGenerator<Item, void> {
  const after = auditRows.sk({ place: auditSortKey(seq) })
  const query = { pk: auditRows.pk({ userId }), limit: pageSize }
  let from: From = {}
  for (;;) {
    // `~` sorts after every digit.
    const between = [after, `${auditRows.prefix()}~`] as const
    const { items, next } = await table.query({ ...query, between, ...from })
    yield* items.filter(({ sk }) => sk > after)
    if (next === undefined) return
    from = { after: next }
  }
}

type Find = (seq: number, says: string, to?: number) => void

async function follow(item: Item, end: Place, published: Published, find: Find): Promise<Place> {
  const place = item.sk.slice(auditRows.prefix().length)
  const seq = Number(place)
  if (place !== auditSortKey(seq) || !Number.isInteger(seq) || seq < 1) {
    find(end.seq + 1, `follows a row that is not an entry: ${JSON.stringify(item.sk)}`)
    return end
  }
  if (seq > end.seq + 1) find(end.seq + 1, 'is missing', seq - 1)
  const { pk: _pk, sk: _sk, hash, ...signed } = item
  if (signed.seq !== seq)
    find(seq, `has the key of another entry: its number is ${JSON.stringify(signed.seq)}`)
  else if ((await hashOf(signed)) !== hash) find(seq, 'was changed: its hash does not match')
  if (seq === end.seq + 1 && signed.previous !== end.hash)
    find(seq, 'does not contain the hash of the entry before it')
  const hashes = published.get(seq)
  if (hashes !== undefined && (hashes.size > 1 || !hashes.has(String(hash))))
    find(seq, 'differs from the published entry')
  return { seq, hash }
}

/** Checks the account in the first entry: a chain that was copied to another user is consistent in itself. */
function checkBeginning(
  { action, target }: Item,
  { userId, hasProfile }: Pick<VerifyInput, 'userId' | 'hasProfile'>,
  find: Find,
): void {
  if (action !== ('account.created' satisfies AuditAction)) return
  if (target !== userId)
    find(1, `belongs to the account of another user: ${JSON.stringify(target)}`)
  else if (hasProfile === false) find(1, 'belongs to an account that does not exist')
}

/**
 * Checks the head's place in the index: a head that the index does not list as due is never published, so that a
 * rewrite of its chain goes unnoticed.
 */
function checkPlace(head: Item, userId: string, now: number, find: Find): void {
  const seq = Number(head.seq)
  if (head.userId !== userId)
    find(seq, `has a head that is published for the user ${JSON.stringify(head.userId)}`)
  const [dueAt = ''] = String(head.gsi1sk).split('#')
  const { gsi1pk, gsi1sk } = headIndexKey(userId, dueAt)
  if (head.gsi1pk !== gsi1pk || head.gsi1sk !== gsi1sk || !(Date.parse(dueAt) <= now + againMs))
    find(seq, 'has a head that is not listed for publication')
}

function checkEnd(head: Item | undefined, end: Place, find: Find): void {
  if (head === undefined) {
    if (end.seq > 0) find(end.seq, 'is the last entry, but the chain has no head')
    return
  }
  const seq = Number(head.seq)
  if (seq > end.seq) find(end.seq + 1, 'is missing at the end', seq)
  if (!(seq >= end.seq))
    find(end.seq, `comes after the head, whose number is ${JSON.stringify(head.seq)}`)
  else if (seq === end.seq && head.hash !== end.hash)
    find(seq, 'differs from the entry in the head')
}
