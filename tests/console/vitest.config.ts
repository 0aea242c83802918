import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** The console in a browser, over a stack of its own. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['tests/console/**/*.test.ts'],
    globalSetup: ['tests/support/global-stack.ts'],
    silent: 'passed-only',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // One process, and so one browser, for all files: a second one would only share the two cores.
    maxWorkers: 1,
    isolate: false,
  },
})
