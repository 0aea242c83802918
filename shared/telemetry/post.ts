import { HttpFailure } from '../platform/http-client/failure.ts'
import type { GuardOptions } from '../platform/http-client/guarded.ts'
import { AddressRefused } from '../platform/http-client/public-url.ts'
import { postJson } from '../platform/user-post.ts'
import { exportRequest } from './otlp.ts'
import type { Span } from '../spans/span.ts'

/** What became of a request to a collector. */
export interface Outcome {
  taken: boolean
  /** Null where there was no answer. */
  status: number | null
  /** After how many seconds it wants to be asked again. */
  retryAfter?: number
  /** Why there was no answer: `refused` for an address that may not be spoken to. */
  failure?: string
}

/** Posts spans to a collector, which has five seconds to answer. A redirect is an answer like any other. */
export async function postSpans(
  guard: GuardOptions,
  { url, headers }: { url: string; headers: Readonly<Record<string, string>> },
  spans: readonly Span[],
): Promise<Outcome> {
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
    taken: status >= 200 && status <= 299,
    status,
    ...(seconds > 0 && { retryAfter: Math.min(300, Math.ceil(seconds)) }),
  }
}

/** The base of a collector has its traces where OTLP says; an address with a path is taken as it is. */
function tracesAt(otlpUrl: string): string {
  const url = new URL(otlpUrl)
  if (url.pathname === '/') url.pathname = '/v1/traces'
  return url.href
}
