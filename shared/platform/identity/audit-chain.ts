import {
  type Deferred,
  definedParts,
  type Part,
  type Parts,
  type Refusals,
} from '../table/commit.ts'
import type { Item, Table, Write } from '../table/port.ts'
import { overtaken, retryOptimistically } from '../table/retry-optimistically.ts'
import {
  type AuditDraft,
  type AuditEntry,
  type AuditHead,
  chainBeginning,
  nextEntry,
} from './audit-entry.ts'
import { auditHeadRows, auditSortKey, auditRows, headIndexKey } from './rows.ts'

type WriteParts = Readonly<Record<string, Write>>

/** The expected last entry of each user's chain; undefined for a user without entries. */
type Heads = Map<string, AuditHead | undefined>

/**
 * An entry of a user's audit as a part of the transaction that makes the change. Its position is determined when that
 * transaction is written: after the last entry, on condition that no other entry was added. Only this module writes
 * entries.
 */
export class AuditPart implements Deferred {
  readonly userId: string
  readonly draft: AuditDraft
  readonly #table: Table

  constructor(table: Table, userId: string, draft: AuditDraft) {
    this.#table = table
    this.userId = userId
    this.draft = draft
  }

  /**
   * If only the ends of chains have changed in the meantime, the transaction is retried with the new ends. If one of
   * the caller's parts is refused, that refusal is returned.
   * @throws PlatformError 503 if every attempt conflicts with another entry
   */
  async commit<P extends Parts>(
    parts: P,
    write: (parts: Parts) => Promise<Refusals<Parts> | undefined>,
  ): Promise<Refusals<P> | undefined> {
    const { own, entries } = separate(parts)
    const heads: Heads = new Map()
    for (const { userId } of entries)
      if (!heads.has(userId)) heads.set(userId, await readHead(this.#table, userId))
    return retryOptimistically(async () => {
      const refusals = await write({ ...own, ...(await linkParts(entries, heads)) })
      if (refusals === undefined) return undefined
      const refused = Object.entries(refusals).filter(([name]) => name in own)
      if (refused.length > 0) return Object.fromEntries(refused) as Refusals<P>
      follow(heads, refusals)
      return overtaken
    })
  }
}

function separate(parts: Parts): { own: Parts; entries: AuditPart[] } {
  const defined = definedParts(parts)
  const isEntry = (part: Part): part is AuditPart => part instanceof AuditPart
  const own = defined.filter(([, part]) => !isEntry(part))
  return { own: Object.fromEntries(own), entries: defined.map(([, part]) => part).filter(isEntry) }
}

async function readHead(table: Table, userId: string): Promise<AuditHead | undefined> {
  return toHead(await table.get(auditHeadRows.key({ userId })))
}

function toHead(row: Item | undefined): AuditHead | undefined {
  return row && auditHeadRows.parse(row)
}

const headName = (userId: string) => `audit head of ${userId}`

/**
 * Returns the writes of all entries: the entries of one user follow each other, and move the end of the chain once.
 */
async function linkParts(entries: readonly AuditPart[], heads: Heads): Promise<WriteParts> {
  const parts: Record<string, Write> = {}
  const at = new Date().toISOString()
  const ends = new Map<string, AuditEntry>()
  for (const { userId, draft } of entries) {
    const end = ends.get(userId) ?? heads.get(userId) ?? chainBeginning
    const entry = await nextEntry(end, draft, at)
    ends.set(userId, entry)
    parts[`audit entry ${entry.seq} of ${userId}`] = {
      put: auditRows.put({ userId, place: auditSortKey(entry.seq) }, entry),
      if: 'attribute_not_exists(pk)',
    }
  }
  for (const [userId, end] of ends)
    parts[headName(userId)] = moveHead(heads.get(userId), userId, end)
  return parts
}

function moveHead(
  head: AuditHead | undefined,
  userId: string,
  { seq, hash, at }: AuditEntry,
): Write {
  return {
    put: auditHeadRows.put({ userId }, { userId, seq, hash, at }, headIndexKey(userId, at)),
    ...(head === undefined
      ? { if: 'attribute_not_exists(pk)' }
      : { if: '#seq = :seq AND #hash = :hash', values: { seq: head.seq, hash: head.hash } }),
  }
}

/** Updates the expected ends of the chains. @throws Error if an entry exists after the end of its chain */
function follow(heads: Heads, refusals: Refusals<Parts>): void {
  let moved = false
  for (const userId of heads.keys()) {
    const refusal = refusals[headName(userId)]
    if (refusal === undefined) continue
    heads.set(userId, toHead(refusal.item))
    moved = true
  }
  if (!moved)
    throw new Error(`The audit is broken after the last entry: ${Object.keys(refusals).join(', ')}`)
}
