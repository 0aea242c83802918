import { afterAll, vi } from 'vitest'

const environment = { ...process.env }
// Hono's server for Node replaces Request and Response with classes of its own. A spy on a fake timer would restore the fake timer.
const { Request, Response, Date, setTimeout, clearTimeout, setInterval, clearInterval } = globalThis
const originals = { Request, Response, Date, setTimeout, clearTimeout, setInterval, clearInterval }

/** The next test file runs in the same process and must find the original globals. */
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  Object.assign(globalThis, originals)
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
})
