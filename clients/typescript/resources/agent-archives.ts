import { TimeoutError } from '../core/errors.ts'
import type { AnswerOf } from '../core/operation.ts'
import type { RequestOptions } from '../core/options.ts'
import { pause } from '../core/retries.ts'
import { Resource } from './resource.ts'

type Export = AnswerOf<'GET /api/agents/{id}/exports/{exportId}'>

/** The exports of agents that are too large for a response. */
export class Exports extends Resource {
  /** Returns an export of an agent. `url` is null until its state is `done`. */
  get = this.op('GET /api/agents/{id}/exports/{exportId}')

  /**
   * Polls an export until it is done or has failed.
   * @param wait `timeoutMs` is the timeout for the whole wait; default 30 minutes
   * @throws TimeoutError if it is not done in time
   */
  async wait(
    id: string,
    exportId: string,
    { timeoutMs = 1_800_000, signal }: Pick<RequestOptions, 'timeoutMs' | 'signal'> = {},
  ): Promise<Export> {
    const endsAt = Date.now() + timeoutMs
    for (;;) {
      const found = await this.get(id, exportId, { signal })
      if (found.state === 'done' || found.state === 'failed') return found
      if (Date.now() > endsAt)
        throw new TimeoutError(`the export is ${found.state} after ${timeoutMs} ms`)
      await pause(1000, signal)
    }
  }
}

/** The imports of archives that are too large for a request. */
export class Imports extends Resource {
  /** Creates a link to upload an archive. Then `agents.importUploaded` imports it. */
  create = this.opWithBody('POST /api/agents/imports')
}
