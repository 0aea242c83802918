import { joinChunks } from '../answers/read-completion.ts'
import { UpstreamFailure } from '../providers/failure.ts'
import type { Truncation } from './truncate.ts'
import { askStream, type Attempt, type UpstreamChunk, type UpstreamCompletion } from './upstream.ts'

/**
 * Returns a whole answer of a model that may exceed its limit. It requests a stream and ends it at the limit.
 * @throws UpstreamFailure
 */
export async function askInPieces(attempt: Attempt, cut: Truncation): Promise<UpstreamCompletion> {
  const chunks: UpstreamChunk[] = []
  for await (const chunk of await askStream(attempt)) {
    chunks.push(cut.take(chunk))
    if (cut.over) break
    attempt.silent?.()
  }
  const joined = joinChunks(chunks)
  if (joined === undefined) throw new UpstreamFailure('the stream is empty')
  return joined
}
