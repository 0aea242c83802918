import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHealthCheck } from '#shared/ai/gateway/health/check.ts'
import { createProviders } from '#shared/ai/gateway/providers/provider.ts'
import { createApp } from '#shared/http/app.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { checksOf, type HealthProbe } from '#shared/platform/health/check.ts'
import { startUpstream, type Upstream } from '#tests/support/ai/upstream.ts'
import { ownTimeouts, passTime } from '#tests/support/clock/time.ts'
import { routes } from '../system.ts'

type Name = 'containers' | 'database' | 'provider' | 'queues'

let living: Upstream
let other: Upstream

beforeEach(async () => {
  living = await startUpstream()
  other = await startUpstream()
})
afterEach(() => Promise.all([living.close(), other.close()]))

/** Starts the backend's routes with engines that all answer, except those given. Counts the calls to each. */
function start(probes: Partial<Record<Name, HealthProbe>> = {}) {
  let now = 0
  const request: Record<Name, number> = { database: 0, queues: 0, containers: 0, provider: 0 }
  const counted = (name: Name): HealthProbe => {
    const probe = probes[name] ?? (async () => {})
    return () => {
      request[name]++
      return probe()
    }
  }
  const app = createApp({
    surface: 'backend',
    name: 'backend-system',
    routes,
    services: {
      looks: checksOf(
        {
          database: counted('database'),
          queues: counted('queues'),
          containers: counted('containers'),
          provider: counted('provider'),
        },
        () => now,
      ),
      provisioningDisabled: false,
    },
    settings: { RATE_LIMITS: 'off' },
  })
  const get = async (path: string) => {
    const answer = await app.request(path)
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  return { get, asked: request, wait: (ms: number) => void (now += ms) }
}

const good = { database: true, queues: true, containers: true, provider: true }
const down = () => Promise.reject(new Error('down'))

describe('readiness', () => {
  it('reports the four services that the backend needs', async () => {
    const checks = { status: 'ready', checks: good }
    expect(await start().get('/health/ready')).toEqual({ status: 200, body: checks })
  })

  it.each(['database', 'queues', 'containers', 'provider'] as const)(
    'fails if %s does not respond',
    async (name) => {
      expect(await start({ [name]: down }).get('/health/ready')).toEqual({
        status: 503,
        body: { status: 'not ready', checks: { ...good, [name]: false } },
      })
    },
  )

  it('holds while one model provider responds, and fails with the last one', async () => {
    const check = () =>
      createHealthCheck(
        createProviders(
          loadConfig({
            AI_BASE_URL: living.baseUrl,
            AI_PROVIDERS: JSON.stringify({ other: { baseUrl: other.baseUrl } }),
          }),
        ),
      )
    expect((await start({ provider: check() }).get('/health/ready')).status).toBe(200)
    await other.close()
    expect((await start({ provider: check() }).get('/health/ready')).status).toBe(200)
    await living.close()
    const { status, body } = await start({ provider: check() }).get('/health/ready')
    expect(status).toBe(503)
    expect(body.checks).toEqual({ ...good, provider: false })
    other = await startUpstream()
    living = await startUpstream()
  })

  it('fails within five seconds of an engine’s failure, and is restored within five of its return', async () => {
    let there = true
    const on = start({ queues: async () => (there ? undefined : down()) })
    const status = async () => (await on.get('/health/ready')).status
    expect(await status()).toBe(200)
    there = false
    expect(await status()).toBe(200)
    on.wait(5000)
    expect(await status()).toBe(503)
    there = true
    on.wait(4999)
    expect(await status()).toBe(503)
    on.wait(1)
    expect(await status()).toBe(200)
    expect(on.asked.queues).toBe(3)
  })

  it('fails if no provider is configured', async () => {
    const provider = createHealthCheck(createProviders(loadConfig({})))
    const { status } = await start({ provider }).get('/health/ready')
    expect(status).toBe(503)
  })

  it('waits at most two seconds for a check', async () => {
    ownTimeouts()
    let answered = false
    const asking = start({ containers: () => new Promise(() => {}) })
      .get('/health/ready')
      .finally(() => (answered = true))
    let passed = 0
    await passTime(
      () => !answered,
      100,
      () => void (passed += 100),
    )
    expect((await asking).body.checks).toEqual({ ...good, containers: false })
    expect(passed).toBeLessThanOrEqual(2500)
  })
})

describe('concurrent health requests', () => {
  it('check each engine once in five seconds, over all addresses', async () => {
    const on = start({ provider: down })
    const paths = ['/health', '/health/ready']
    const crowd = () =>
      Promise.all(paths.flatMap((path) => Array.from({ length: 50 }, () => on.get(path))))
    await crowd()
    on.wait(4999)
    const again = await crowd()
    expect(on.asked).toEqual({ database: 1, queues: 1, containers: 1, provider: 1 })
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200, 503]))
    on.wait(1)
    await crowd()
    expect(on.asked).toEqual({ database: 2, queues: 2, containers: 2, provider: 2 })
  })

  it('report whether containers can run', async () => {
    const docker = async (probes: Partial<Record<Name, HealthProbe>>) =>
      (await start(probes).get('/health')).body
    expect(await docker({})).toMatchObject({ status: 'ok', docker: 'available' })
    expect(await docker({ containers: down })).toMatchObject({ docker: 'unavailable' })
  })
})
