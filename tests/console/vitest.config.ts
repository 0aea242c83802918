import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** The console in a browser, over a stack of its own. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['tests/console/**/*.test.ts'],
    globalSetup: ['tests/console/support/global-stack.ts'],
    silent: 'passed-only',
    testTimeout: 120_000,
    // For a machine that is busy with something else.
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 120_000,
    // Three browsers on two cores: each waits for pages and answers as long as it computes.
    maxWorkers: 3,
    isolate: false,
  },
})
