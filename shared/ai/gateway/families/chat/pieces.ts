import type { Chunk, Completion } from '../../answers/form.ts'
import { joinChunks } from '../../answers/read-completion.ts'
import type { Truncation } from '../../completions/truncate.ts'
import { UpstreamFailure } from '../../providers/failure.ts'
import type { ChatAttempt } from './post.ts'
import { askStream } from './upstream.ts'

/**
 * Returns a whole answer of a model that may exceed its limit. It requests a stream and ends it at the limit.
 * @throws UpstreamFailure
 */
export async function askInPieces(attempt: ChatAttempt, cut: Truncation): Promise<Completion> {
  const chunks: Chunk[] = []
  for await (const chunk of await askStream(attempt)) {
    chunks.push(cut.take(chunk))
    if (cut.over) break
    attempt.silent?.()
  }
  const joined = joinChunks(chunks, attempt.route.id)
  if (joined === undefined) throw new UpstreamFailure('the stream is empty')
  return joined
}
