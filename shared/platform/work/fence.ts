import { newSeed } from '../ids.ts'
import type { Condition, Update } from '../table/port.ts'

type Required = Condition & { if: string; values: Record<string, unknown> }

/**
 * The fencing token of a row: every claim changes it, so that the writes of the previous holder fail. `Held` is the
 * part of the row that contains it.
 */
export interface Fence<Held> {
  /** @param lease the current time and the expiry of the lease, in epoch milliseconds */
  claim(held: Held, lease: { now: number; until: number }): Update & Required
  /** Returns the condition that no other holder has claimed the row. */
  still(held: Held): Required
  /** Returns the attributes that extend a lease. */
  renewed(until: number): Record<string, unknown>
  /** The change that a holder writes if it stops before the work is finished. */
  readonly released: Pick<Update, 'set' | 'remove'>
}

/**
 * Returns a token that counts the claims. The lease ends at the row's due time in the index. A message contains the
 * number of the claim that it requests, so that it is outdated after that claim.
 * @param path the attribute: `attempts`, or `open.attempts` in a map
 * @param of returns the value of the attribute
 */
/* @__NO_SIDE_EFFECTS__ */
export function counter<Held>(path: string, of: (held: Held) => number): Fence<Held> {
  const name = `#${path.replaceAll('.', '.#')}`
  const still = (held: Held) => ({ if: `${name} = :claimed`, values: { claimed: of(held) } })
  return {
    claim: (held) => ({
      expression: `${name} = :nextClaim`,
      if: still(held).if,
      values: { claimed: of(held), nextClaim: of(held) + 1 },
    }),
    still,
    renewed: () => ({}),
    released: {},
  }
}

/**
 * Returns a token that is random for each claim, with a lease in the row, for messages that contain no number of a
 * claim. A claim fails until the lease has expired or its holder has stopped.
 * @param by the attribute of the token
 * @param until the attribute of the time when the lease expires, in epoch milliseconds
 */
/* @__NO_SIDE_EFFECTS__ */
export function holder<By extends string>(
  by: By,
  until: string,
): Fence<{ readonly [Name in By]?: string | undefined }> {
  return {
    claim: (_, lease) => ({
      set: { [by]: newSeed(lease.now), [until]: lease.until },
      if: `(attribute_not_exists(#${until}) OR #${until} < :claimedAt)`,
      values: { claimedAt: lease.now },
    }),
    still: (held) => ({ if: `#${by} = :claimed`, values: { claimed: held[by] } }),
    renewed: (expiry) => ({ [until]: expiry }),
    released: { set: { [until]: 0 }, remove: [by] },
  }
}
