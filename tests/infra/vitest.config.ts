import { defineConfig } from 'vitest/config'

/** Needs `sst install` first, which brings a few hundred megabytes; so it is not part of `npm test`. */
export default defineConfig({
  test: {
    name: 'infra',
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: ['harness/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
})
