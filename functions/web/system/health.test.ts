import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createApp } from '#shared/http/app.ts'
import { checksOf } from '#shared/platform/health/check.ts'

const seconds = 1000

let get: () => Promise<{ status: number; body: Record<string, unknown> }>
/** The number of measurements. */
let measured: number
/** The machine's memory in bytes, as the operating system reports it. */
let memory: () => number

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  measured = 0
  memory = () => 2 ** 40
  vi.spyOn(os, 'totalmem').mockImplementation(() => {
    measured++
    return memory()
  })
  syncBuiltinESMExports()
  // Simulates a new instance of the function, with empty caches.
  vi.resetModules()
  const { routes } = await import('../system.ts')
  const app = createApp({
    surface: 'web',
    name: 'web-system',
    routes,
    services: { looks: checksOf({ database: async () => {}, queues: async () => {} }) },
    settings: { WEB_URL: 'http://localhost:3000', RATE_LIMITS: 'off' },
  })
  get = async () => {
    const answer = await app.request('/api/health')
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
})
afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  vi.useRealTimers()
})

it('returns the same figures for five seconds under any load, and then measures again', async () => {
  const all = await Promise.all([get(), get(), get()])
  const [first] = all
  expect(first).toMatchObject({ status: 200, body: { status: 'ok', cpu: {}, memory: {} } })
  expect(all).toEqual([first, first, first])
  vi.advanceTimersByTime(5 * seconds - 1)
  expect(await get()).toEqual(first)
  expect(measured).toBe(1)

  vi.advanceTimersByTime(1)
  const later = await get()
  expect(measured).toBe(2)
  const at = ({ body }: { body: Record<string, unknown> }) => Date.parse(String(body.timestamp))
  expect(at(later) - at(first)).toBe(5 * seconds)
})

it('returns 500 while the machine cannot be measured, and recovers afterwards', async () => {
  memory = () => {
    throw new Error('no such file')
  }
  const failed = { status: 'error', health: 'unhealthy', timestamp: expect.any(String) }
  expect(await get()).toEqual({ status: 500, body: failed })
  expect(await get()).toEqual({ status: 500, body: failed })
  expect(measured).toBe(1)
  memory = () => 2 ** 40
  vi.advanceTimersByTime(5 * seconds)
  expect((await get()).status).toBe(200)
})
