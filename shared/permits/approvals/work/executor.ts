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
 * Carries out an approved effect of one action. It may be called again if its process died before `sending`, so it has
 * no other effect before it. An effect with durable rows of its own may omit `sending` if a repeat with the same
 * approval continues from these rows.
 * @throws PlatformError of kind `unavailable` or `too-many-requests` before `sending` to be tried again later; any
 * other one fails the approval with its message
 */
export type Executor = (execution: Execution) => Promise<Outcome>
