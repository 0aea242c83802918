import { isObject } from '../../answers/form.ts'
import { PassedOn } from '../../answers/passed-on.ts'
import type { Attempt, WholeAnswer } from '../../completions/call.ts'
import { UpstreamFailure } from '../../providers/failure.ts'
import { post, wholeOf } from '../../providers/post.ts'
import { noTokens } from '../passed-on.ts'
import type { ModerationRequest } from './parse.ts'

/** @throws UpstreamFailure */
export async function askModeration(
  attempt: Attempt,
  request: ModerationRequest,
): Promise<WholeAnswer<PassedOn>> {
  const json = { ...request, model: attempt.route.model }
  const answer = await post(attempt, { path: '/moderations', json })
  const { body, text } = await wholeOf(answer, attempt)
  if (!Array.isArray(body.results)) throw new UpstreamFailure('the answer has no results')
  // OpenAI counts nothing. Mistral counts tokens.
  const usage = isObject(body.usage) ? body.usage : noTokens
  return {
    completion: { choices: [], usage, model: body.model },
    write: () => new PassedOn(text),
  }
}
