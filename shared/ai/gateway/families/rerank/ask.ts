import { PassedOn } from '../../answers/passed-on.ts'
import type { Attempt, WholeAnswer } from '../../completions/call.ts'
import { UpstreamFailure } from '../../providers/failure.ts'
import { post, wholeOf } from '../../providers/post.ts'
import type { RerankRequest } from './parse.ts'
import { readRerankUsage } from './read.ts'

/** @throws UpstreamFailure */
export async function askRerank(
  attempt: Attempt,
  request: RerankRequest,
): Promise<WholeAnswer<PassedOn>> {
  const json = { ...request, model: attempt.route.model }
  const answer = await post(attempt, { path: '/rerank', json })
  const { body, text } = await wholeOf(answer, attempt)
  // Voyage has the results under `data`.
  if (!Array.isArray(body.results ?? body.data))
    throw new UpstreamFailure('the answer has no results')
  const { usage, units } = readRerankUsage(body)
  return {
    completion: { choices: [], usage, model: body.model },
    units,
    write: () => new PassedOn(text),
  }
}
