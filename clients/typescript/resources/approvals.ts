import { Resource } from './resource.ts'

/** Requests of the caller’s agents that wait for a decision. */
export class Approvals extends Resource {
  /** Lists approvals, newest first, without their requests. `for await` iterates over all pages. */
  list = this.listOf('GET /api/approvals', 'approvals')

  /** Returns an approval with its request. */
  get = this.op('GET /api/approvals/{id}')

  /** Approves or denies a request, once. An approved one is carried out, and the agent is told the outcome. */
  decide = this.opWithBody('POST /api/approvals/{id}')
}
