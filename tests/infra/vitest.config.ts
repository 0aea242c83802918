import { defineConfig } from 'vitest/config'

/**
 * Needs `sst install` first, which downloads a few hundred megabytes. That is why `npm test` does not include these
 * tests.
 */
export default defineConfig({
  test: {
    name: 'infra',
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: ['harness/global-setup.ts'],
    // A test that runs the program takes ten seconds on an idle machine; a busy machine must not fail it.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
  },
})
