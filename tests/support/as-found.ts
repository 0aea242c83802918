import { afterAll, vi } from 'vitest'

const environment = { ...process.env }
// Hono's server for Node puts classes of its own in their place.
const { Request, Response } = globalThis

/** The next file runs in the same process, and finds it as this one did. */
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  Object.assign(globalThis, { Request, Response })
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
})
