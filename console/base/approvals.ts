import type { Approval } from '../../clients/typescript/index.ts'
import { platform } from './platform.ts'

/** The number of items of a page, which is the maximum of a request. */
export const pageLength = 100

/** Returns up to `most` approvals, newest first. A page can be empty although another one follows. */
export async function takeApprovals(
  filters: { state?: Approval['state'] | undefined; agentId?: string | undefined },
  most: number,
  signal: AbortSignal,
): Promise<Approval[]> {
  const found: Approval[] = []
  for await (const each of platform.approvals.list({ ...filters, limit: pageLength }, { signal })) {
    found.push(each)
    if (found.length === most) break
  }
  return found
}
