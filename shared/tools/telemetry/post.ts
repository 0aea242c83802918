import { HttpFailure } from '#shared/platform/http-client/failure.ts'
import type { GuardOptions } from '#shared/platform/http-client/guarded.ts'
import { AddressRefused } from '#shared/platform/http-client/public-url.ts'
import { isSuccess } from '#shared/platform/http-client/status.ts'
import { postJson } from '#shared/platform/user-post.ts'
import type { Span } from '#shared/signals/spans/span.ts'
import { exportRequest } from './otlp.ts'

/** The outcome of a request to a collector. */
export interface PostOutcome {
  taken: boolean
  /** Null without a response. */
  status: number | null
  /** The collector's Retry-After, in seconds. */
  retryAfter?: number
  /** The reason for a missing response: `refused` for an address that is not allowed. */
  failure?: string
}

/** Posts spans to a collector, which has five seconds to respond. Redirects are not followed. */
export async function postSpans(
  guard: GuardOptions,
  { url, headers }: { url: string; headers: Readonly<Record<string, string>> },
  spans: readonly Span[],
): Promise<PostOutcome> {
  const text = JSON.stringify(exportRequest(spans))
  const answer = await postJson({ url: tracesAt(url), headers, text }, guard).catch(
    (error: unknown) => {
      if (!(error instanceof HttpFailure)) throw error
      return error
    },
  )
  if (answer instanceof HttpFailure) {
    const isRefused = answer instanceof AddressRefused || answer.cause instanceof AddressRefused
    return { taken: false, status: null, failure: isRefused ? 'refused' : answer.message }
  }
  const { status } = answer
  const seconds = Number(answer.headers['retry-after'])
  return {
    taken: isSuccess(status),
    status,
    ...(seconds > 0 && { retryAfter: Math.min(300, Math.ceil(seconds)) }),
  }
}

/** Returns the URL for traces: OTLP's path below a base URL; a URL with a path is used unchanged. */
function tracesAt(otlpUrl: string): string {
  const url = new URL(otlpUrl)
  if (url.pathname === '/') url.pathname = '/v1/traces'
  return url.href
}
