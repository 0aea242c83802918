import { describedFile, type DescribedFile } from '#shared/agents/files/container/schema.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { sendRequest } from '#shared/platform/http-client/client.ts'
import { targetOf } from '#shared/platform/http-client/connections.ts'

/** Describes a stored file of the calling agent. @throws PlatformError 400, 404, 413, 502 */
export type AskFiles = (path: string) => Promise<DescribedFile>

/** An HTTP API ends its requests after 30 s. */
const totalMs = 24_000

/** A file has so many parts only if its program changed it in many places. */
const maxBytes = 1_000_000

const kinds: Readonly<Record<number, 'bad-request' | 'not-found' | 'payload-too-large'>> = {
  400: 'bad-request',
  404: 'not-found',
  413: 'payload-too-large',
}

/** @param authorization the agent's Authorization header */
export function askFiles({
  backendUrl,
  authorization,
  signal,
}: {
  backendUrl: string
  authorization: string
  signal: AbortSignal
}): AskFiles {
  return async (path) => {
    const answer = await sendRequest({
      target: { ...targetOf(backendUrl), path: '/api/agent-files/describe' },
      headers: { authorization },
      json: { path },
      timeouts: { totalMs },
      maxBytes,
      pooled: true,
      signal,
      toError: (cause) => new PlatformError('bad-gateway', 'The file cannot be read', { cause }),
    })
    const body = JSON.parse(String(await answer.whole())) as { error?: string }
    if (answer.status === 200) return describedFile().parse(body)
    throw new PlatformError(kinds[answer.status] ?? 'bad-gateway', String(body.error))
  }
}
