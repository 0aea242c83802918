import canonicalize from 'canonicalize'
import type * as z from 'zod'
import { sha256Hex } from '../crypto.ts'
import type { auditHeadRows, auditRows } from './rows.ts'

export type AuditEntry = z.output<ReturnType<(typeof auditRows)['declared']['schema']>>

export type AuditHead = z.output<ReturnType<(typeof auditHeadRows)['declared']['schema']>>

/** The content of an entry before it has its position in the chain. */
export type AuditDraft = Omit<AuditEntry, 'seq' | 'at' | 'previous' | 'hash'>

/** The end of a chain, which the next entry follows. */
export type ChainEnd = Pick<AuditHead, 'seq' | 'hash'>

/** The end of an empty chain: contract.md 9, Audit. */
export const chainBeginning: ChainEnd = { seq: 0, hash: '0'.repeat(64) }

/** Returns the entry that follows `end`. */
export async function nextEntry(end: ChainEnd, draft: AuditDraft, at: string): Promise<AuditEntry> {
  const { actor, action, target, before, after, requestId } = draft
  const seq = end.seq + 1
  const content = { seq, at, actor, action, target, before, after, requestId, previous: end.hash }
  return { ...content, hash: await hashOf(content) }
}

/**
 * Returns the SHA-256 of an entry's RFC 8785 JSON in hex: contract.md 9, Audit. @param entry the entry without its hash
 */
export async function hashOf(entry: Readonly<Record<string, unknown>>): Promise<string> {
  return sha256Hex(canonicalize(entry) ?? '')
}

/** Returns the SHA-256 of a state's RFC 8785 JSON in hex; null without a state. */
export async function digestOf(state: unknown): Promise<string | null> {
  const text = canonicalize(wellFormed(state))
  return text === undefined ? null : sha256Hex(text)
}

/** Replaces unpaired surrogates by U+FFFD, as the table does: RFC 8785 cannot represent them. */
function wellFormed(state: unknown): unknown {
  if (typeof state === 'string') return state.toWellFormed()
  if (Array.isArray(state)) return state.map(wellFormed)
  if (typeof state !== 'object' || state === null) return state
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => [name.toWellFormed(), wellFormed(value)]),
  )
}
