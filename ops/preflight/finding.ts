import type { AwsCalls } from '../aws/calls.ts'
import type { Stage } from '../stage/settings.ts'

/** A row of the table that `npm run preflight` prints. */
export interface Finding {
  what: string
  /**
   * `missing`: the deployment would fail, or the platform would not work. `look`: a person must decide, or only AWS's
   * console shows it; it does not prevent a deployment.
   */
  state: 'ok' | 'missing' | 'look'
  found: string
  wanted: string
  /** The person's next step; empty if the state is ok. */
  todo: string
}

/** The account and the deployment that the checks compare. */
export interface Subject extends Stage {
  aws: AwsCalls
}

/** Returns a row: `ok` without a next step if `isMet`, otherwise in the given state. */
export function finding(
  isMet: boolean,
  row: Omit<Finding, 'state'> & { otherwise?: 'missing' | 'look' },
): Finding {
  const { otherwise = 'missing', ...rest } = row
  return { ...rest, state: isMet ? 'ok' : otherwise, todo: isMet ? '' : rest.todo }
}
