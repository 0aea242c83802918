import type { Agent } from '#shared/agents/record/agent.ts'
import type { Parts } from '#shared/platform/table/commit.ts'
import type { Approval, ApprovalResult } from '../approval.ts'
import type { ParkedRequest } from '../request.ts'

/** One attempt to carry out an approved effect. */
export interface Execution {
  approval: Approval
  request: ParkedRequest
  /** The agent's current row. */
  agent: Agent
  /**
   * Stores that the effect is about to be sent to another party. Await it before the first byte: if the process dies
   * afterwards, the effect is not sent again.
   * @throws LeaseLost
   */
  sending(): Promise<void>
  /**
   * Returns the parts that end the approval, for the transaction of an effect in the platform's own table. If the part
   * `approval` is refused, the lease was lost.
   */
  ending(result: ApprovalResult): Parts
}

/** The outcome of an attempt; `ended` if the parts of `ending` were committed. */
export type Outcome =
  | { state: 'done'; result: ApprovalResult }
  | { state: 'failed'; error: string }
  | 'ended'

/**
 * Carries out an approved effect of one action. It must have no effect before `sending`, because it is called again if
 * its process dies before that. It may omit `sending` if it stores its progress in its own rows, and a repeat with the
 * same approval continues from them.
 * @throws PlatformError of kind `unavailable` or `too-many-requests` before `sending`: the call is retried later; any
 * other one fails the approval with its message
 */
export type Executor = (execution: Execution) => Promise<Outcome>
