import { PassedOn } from '../../answers/passed-on.ts'
import type { Attempt, WholeAnswer } from '../../completions/call.ts'
import { UpstreamFailure } from '../../providers/failure.ts'
import { post, wholeOf } from '../../providers/post.ts'
import type { EmbeddingsRequest } from './parse.ts'
import { readEmbeddingsUsage, withoutEmbeddings } from './read.ts'

/** @throws UpstreamFailure */
export async function askEmbeddings(
  attempt: Attempt,
  request: EmbeddingsRequest,
): Promise<WholeAnswer<PassedOn>> {
  const json = { ...request, model: attempt.route.model }
  const answer = await post(attempt, { path: '/embeddings', json })
  const { body, text } = await wholeOf(answer, attempt, withoutEmbeddings)
  if (!Array.isArray(body.data)) throw new UpstreamFailure('the answer has no embeddings')
  return {
    completion: { choices: [], usage: readEmbeddingsUsage(body.usage), model: body.model },
    write: () => new PassedOn(text),
  }
}
