import { type Item, type Table, TransactionFailed, type Write } from './port.ts'

/** The writes of one transaction by name; undefined parts are left out. */
export type Parts = Readonly<Record<string, Part | undefined>>

export type Part = Write | Deferred

/**
 * A part that controls how its transaction is written, because its writes depend on a row that many transactions
 * change, such as the head of a chain, or because work follows the commit. It handles its own refusals, which callers
 * of commit never get.
 */
export interface Deferred {
  /**
   * Writes the whole transaction together with this part's own writes, and repeats that as often as necessary.
   * @param write writes the other parts, which may be deferred too
   */
  commit<P extends Parts>(
    parts: P,
    write: (parts: Parts) => Promise<Refusals<Parts> | undefined>,
  ): Promise<Refusals<P> | undefined>
}

/** The defined parts. */
export function definedParts(parts: Parts): [name: string, part: Part][] {
  return Object.entries(parts).filter((entry) => entry[1] !== undefined) as [string, Part][]
}

/** The parts whose conditions failed, each with the current item. */
export type Refusals<P extends Parts> = {
  readonly [Name in keyof P]?: { readonly item: Item | undefined }
}

/**
 * Functions that return the error to throw if the condition of a part failed, from the current item. If one returns
 * undefined, TransactionRefused is thrown.
 */
export type RefusalErrors<P extends Parts> = {
  readonly [Name in keyof P]?: (item: Item | undefined) => Error | undefined
}

/** A transaction failed on conditions of parts that have no error in `errors`. */
export class TransactionRefused extends Error {
  readonly refusals: Refusals<Parts>

  constructor(refusals: Refusals<Parts>) {
    super(`refused by the condition of ${Object.keys(refusals).join(', ')}`)
    this.name = 'TransactionRefused'
    this.refusals = refusals
  }
}

/**
 * Writes all parts or none. @returns the parts whose conditions failed; undefined if the transaction was written
 * @throws TransactionFailed for any other reason
 */
export async function tryCommit<const P extends Parts>(
  table: Pick<Table, 'transact'>,
  parts: P,
): Promise<Refusals<P> | undefined> {
  const defined = definedParts(parts)
  const deferred = defined.map(([, part]) => part).find((part) => 'commit' in part)
  if (deferred !== undefined) return deferred.commit(parts, (writes) => tryCommit(table, writes))
  const names = defined.map(([name]) => name)
  const writes = defined.map(([, part]) => part as Write)
  try {
    await table.transact(writes)
    return undefined
  } catch (error) {
    if (!(error instanceof TransactionFailed)) throw error
    const refused = names.flatMap((name, i) =>
      error.refused(i) ? [[name, { item: error.reasons[i]?.item }] as const] : [],
    )
    if (refused.length === 0) throw error
    return Object.fromEntries(refused) as Refusals<P>
  }
}

/**
 * Writes all parts or none: `commit(table, { email: …, profile: … }, { email: () => emailTaken() })`.
 * @param errors the errors for refused parts; if several parts were refused, the first error in this order is thrown
 * @throws TransactionRefused if no refused part has an error in `errors`; TransactionFailed for any other reason
 */
export async function commit<const P extends Parts>(
  table: Pick<Table, 'transact'>,
  parts: P,
  errors: RefusalErrors<P> = {},
): Promise<void> {
  const refusals = await tryCommit(table, parts)
  if (refusals !== undefined) throw refusalError(refusals, errors)
}

/** Returns the error of the first refused part in `errors`, otherwise TransactionRefused. */
export function refusalError<P extends Parts>(
  refusals: Refusals<P>,
  errors: RefusalErrors<P>,
): Error {
  for (const name of Object.keys(errors)) {
    const refusal = refusals[name]
    if (refusal !== undefined)
      return errors[name]?.(refusal.item) ?? new TransactionRefused(refusals)
  }
  return new TransactionRefused(refusals)
}

/**
 * Merges the parts of a helper and of its caller. @throws TypeError for a name that both use, because only one of the
 * two parts would be written
 */
export function mergeParts<Own extends Parts>(own: Own, also: Parts = {}): Own {
  const twice = Object.keys(own).find((name) => also[name] !== undefined)
  if (twice !== undefined) throw new TypeError(`two parts are named ${twice}`)
  return { ...also, ...own }
}

/** Returns several writes of one kind as named parts: `numbered('rollup', writes)` is `{ rollup0, rollup1, … }`. */
export function numbered<Name extends string, P extends Part>(
  name: Name,
  writes: readonly P[],
): Record<`${Name}${number}`, P> {
  const parts: Record<string, P> = {}
  for (const [i, write] of writes.entries()) parts[`${name}${i}`] = write
  return parts
}
