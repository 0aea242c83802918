import { afterAll, vi } from 'vitest'

const environment = { ...process.env }
// Hono's server for Node replaces these globals with classes of its own.
const { Request, Response } = globalThis

/** The next test file runs in the same process and must find the original globals. */
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  Object.assign(globalThis, { Request, Response })
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
})
