import { type Item, type Table, TransactionFailed, type Write } from './port.ts'

/** The writes of one transaction, each under a name of its own; undefined ones are left out. */
export type Parts = Readonly<Record<string, Part | undefined>>

export type Part = Write | Deferred

/**
 * A part that takes its transaction in hand: its writes are known only when that is written, because they hang on a row
 * that many transactions move, such as the head of a chain, or something follows once it is written. Its refusals are
 * its own: those who commit it never see them.
 */
export interface Deferred {
  /**
   * Writes the whole transaction, with the writes that this part has become, as often as that takes.
   * @param write writes parts that this one is not among; others may be deferred too
   */
  commit<P extends Parts>(
    parts: P,
    write: (parts: Parts) => Promise<Refusals<Parts> | undefined>,
  ): Promise<Refusals<P> | undefined>
}

/** The parts without those that are left out. */
export function givenParts(parts: Parts): [name: string, part: Part][] {
  return Object.entries(parts).filter((entry) => entry[1] !== undefined) as [string, Part][]
}

/** The parts whose own conditions did not hold, with the item that each met there. */
export type Refusals<P extends Parts> = {
  readonly [Name in keyof P]?: { readonly item: Item | undefined }
}

/** The error to throw for a part whose condition did not hold, made from the item that it met; Refused where that is undefined. */
export type RefusalErrors<P extends Parts> = {
  readonly [Name in keyof P]?: (item: Item | undefined) => Error | undefined
}

/** A transaction was refused by the conditions of parts for which its caller named no error. */
export class Refused extends Error {
  readonly refusals: Refusals<Parts>

  constructor(refusals: Refusals<Parts>) {
    super(`refused by the condition of ${Object.keys(refusals).join(', ')}`)
    this.name = 'Refused'
    this.refusals = refusals
  }
}

/**
 * Writes all parts or none, and answers which conditions stopped it; undefined when it was written.
 * @throws TransactionFailed for any other reason than a condition
 */
export async function tryCommit<const P extends Parts>(
  table: Pick<Table, 'transact'>,
  parts: P,
): Promise<Refusals<P> | undefined> {
  const given = givenParts(parts)
  const deferred = given.map(([, part]) => part).find((part) => 'commit' in part)
  if (deferred !== undefined) return deferred.commit(parts, (writes) => tryCommit(table, writes))
  const names = given.map(([name]) => name)
  const writes = given.map(([, part]) => part as Write)
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
 * @param errors what to throw for a refused part; where several parts were refused, the first one named here counts
 * @throws Refused where a part was refused for which `errors` names nothing; TransactionFailed for any other reason
 */
export async function commit<const P extends Parts>(
  table: Pick<Table, 'transact'>,
  parts: P,
  errors: RefusalErrors<P> = {},
): Promise<void> {
  const refusals = await tryCommit(table, parts)
  if (refusals !== undefined) throw refusalError(refusals, errors)
}

/** The error that `errors` names for the first of its parts that was refused, else Refused. */
export function refusalError<P extends Parts>(
  refusals: Refusals<P>,
  errors: RefusalErrors<P>,
): Error {
  for (const name of Object.keys(errors)) {
    const refusal = refusals[name]
    if (refusal !== undefined) return errors[name]?.(refusal.item) ?? new Refused(refusals)
  }
  return new Refused(refusals)
}

/**
 * A helper's own parts beside those of its caller.
 * @throws TypeError for a name that both use: only one of the two would be written
 */
export function beside<Own extends Parts>(own: Own, also: Parts = {}): Own {
  const twice = Object.keys(own).find((name) => also[name] !== undefined)
  if (twice !== undefined) throw new TypeError(`two parts are named ${twice}`)
  return { ...also, ...own }
}

/** Writes of one kind as parts: `numbered('rollup', writes)` is `{ rollup0, rollup1, … }`. */
export function numbered<Name extends string, P extends Part>(
  name: Name,
  writes: readonly P[],
): Record<`${Name}${number}`, P> {
  const parts: Record<string, P> = {}
  for (const [i, write] of writes.entries()) parts[`${name}${i}`] = write
  return parts
}
