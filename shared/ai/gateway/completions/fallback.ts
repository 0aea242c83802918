import { PlatformError } from '#shared/platform/errors.ts'
import type { Log } from '#shared/platform/log.ts'
import type { Metrics } from '#shared/platform/metrics.ts'
import { recordAnswer, recordAttempt, recordFailure } from '../providers/circuit.ts'
import { UpstreamFailure } from '../providers/failure.ts'
import type { Route } from '../providers/provider.ts'

interface Asking<T> {
  log: Log
  /** Aborted when the caller disconnects, after which no other model is called. */
  signal: AbortSignal
  ask(route: Route): Promise<T>
}

/**
 * Tries the models in order and returns the first answer. A model that responds with Retry-After is skipped
 * immediately, because the caller waits. If no model answers, the error has the shortest Retry-After of the models.
 * @throws PlatformError 400 if the request is invalid, 502 AI_UNAVAILABLE if no model answers
 */
export async function firstAnswer<T>(
  routes: readonly Route[],
  { log, signal, ask }: Asking<T>,
): Promise<{ route: Route; answer: T }> {
  const attempts: { model: string; status: number | null; ms: number }[] = []
  const retryAfter: number[] = []
  for (const route of routes) {
    signal.throwIfAborted()
    const started = performance.now()
    recordAttempt(route)
    try {
      const answer = await ask(route)
      recordAnswer(route)
      return { route, answer }
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error
      recordFailure(route, error)
      if (error.isRequestFault)
        throw new PlatformError('bad-request', error.message, {
          code: 'UPSTREAM_REJECTED',
          details: ownWords(error),
          cause: error,
        })
      const ms = Math.round(performance.now() - started)
      attempts.push({ model: route.id, status: error.status, ms })
      if (error.retryAfter !== undefined) retryAfter.push(error.retryAfter)
      const fields = { model: route.id, provider: route.provider.name, status: error.status, ms }
      log.warn('a model did not answer', { ...fields, reason: error.message }, metricsOf(error))
    }
  }
  throw new PlatformError('bad-gateway', 'No model could answer', {
    code: 'AI_UNAVAILABLE',
    details: { attempts },
    ...(retryAfter.length > 0 && { headers: { 'Retry-After': String(Math.min(...retryAfter)) } }),
  })
}

/** Not by model: the caller names it, so it can have any number of values. */
function metricsOf({ isTimeout }: UpstreamFailure): Metrics {
  return {
    by: [['function'], ['provider']],
    of: { AiModelFailures: [1, 'Count'], AiModelTimeouts: [isTimeout ? 1 : 0, 'Count'] },
  }
}

/** The provider's error code and parameter, if it sends them. */
function ownWords({ code, param }: UpstreamFailure): Record<string, unknown> {
  if (code === undefined && param === undefined) return {}
  return { upstream: { code: code ?? null, param: param ?? null } }
}

/** Returns whether every tried model has rejected the key or does not exist for it. */
export function wasRefused(error: unknown): boolean {
  if (!(error instanceof PlatformError) || error.code !== 'AI_UNAVAILABLE') return false
  const attempts = error.details.attempts as { status: number | null }[]
  return attempts.every(({ status }) => status !== null && refusals.has(status))
}

const refusals: ReadonlySet<number> = new Set([401, 402, 403, 404])
