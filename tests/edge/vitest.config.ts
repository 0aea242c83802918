import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const root = join(import.meta.dirname, '../..')

process.env.NODE_COMPILE_CACHE ??= join(root, 'dist/compile-cache')

/** The suites of the functions that may run at the edge, here on workers; `npm test` runs them on Node. */
const shared = [
  'functions/summarizer/**/*.test.ts',
  'functions/web/demo/**/*.test.ts',
  'functions/web/x402/**/*.test.ts',
]

export default defineConfig({
  test: {
    root,
    include: [...shared, 'tests/edge/**/*.test.ts'],
    env: { CARRIER: 'workerd' },
    globalSetup: ['tests/edge/global-setup.ts'],
    setupFiles: ['tests/edge/setup.ts'],
    silent: 'passed-only',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
})
