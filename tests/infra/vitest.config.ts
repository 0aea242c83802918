import { defineConfig } from 'vitest/config'

/** Needs `sst install` first, which brings a few hundred megabytes; so it is not part of `npm test`. */
export default defineConfig({
  test: {
    name: 'infra',
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: ['harness/global-setup.ts'],
    // A test that runs the program takes ten seconds of an idle machine, and a busy one is no fault.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
  },
})
