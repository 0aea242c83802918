import type { Approval } from '../../clients/typescript/index.ts'
import { platform } from './platform.ts'
import { take } from './take.ts'

/** The number of items of a page, which is the maximum of a request. */
export const pageLength = 100

/** Returns up to `most` approvals, newest first. A page can be empty although another one follows. */
export function takeApprovals(
  filters: { state?: Approval['state'] | undefined; agentId?: string | undefined },
  most: number,
  signal: AbortSignal,
): Promise<Approval[]> {
  return take(platform.approvals.list({ ...filters, limit: pageLength }, { signal }), most)
}
