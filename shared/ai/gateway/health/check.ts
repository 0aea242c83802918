import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import { isoOf } from '#shared/platform/times.ts'
import type { Providers } from '../providers/provider.ts'
import { probe } from './probe.ts'

/** spec.md, GET /api/ai/health. */
export interface AiHealth {
  status: 'healthy' | 'degraded'
  /** The availability of each provider, by name. */
  providers: Record<string, boolean>
  /** The time of the check in ISO 8601. */
  timestamp: string
}

/** The result is cached, so that frequent health checks do not burden the providers. */
const cacheMs = 5000

/**
 * Creates a check of all providers.
 * @returns a function that throws PlatformError 503 with `status: 'error'` if no provider answers
 */
export function createHealthCheck(
  providers: Providers,
  now: () => number = Date.now,
): () => Promise<AiHealth> {
  let cached: { until: number; answered: Promise<Omit<AiHealth, 'status'>> } | undefined
  return async () => {
    if (providers.all.length === 0) throw unconfigured()
    if (cached === undefined || cached.until <= now())
      cached = { until: now() + cacheMs, answered: ask(providers, now()) }
    return judge(await cached.answered)
  }
}

async function ask(providers: Providers, asked: number): Promise<Omit<AiHealth, 'status'>> {
  const answers = await Promise.all(
    providers.all.map(async (provider) => [provider.name, await probe(provider)] as const),
  )
  return { providers: Object.fromEntries(answers), timestamp: isoOf(asked) }
}

function judge(health: Omit<AiHealth, 'status'>): AiHealth {
  const answers = Object.values(health.providers)
  if (!answers.includes(true))
    throw new PlatformError('unavailable', 'No AI provider answers', {
      details: { status: 'error' },
    })
  return { status: answers.includes(false) ? 'degraded' : 'healthy', ...health }
}

function unconfigured(): PlatformError {
  const { message, details } = notConfigured('AI', ['AI_BASE_URL', 'AI_API_KEY'])
  return new PlatformError('unavailable', message, { details: { status: 'error', ...details } })
}
