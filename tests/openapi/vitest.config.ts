import { defineConfig } from 'vitest/config'

/** Needs packages that `npm ci` does not install: `npm run openapi` installs them. */
export default defineConfig({
  test: {
    name: 'openapi',
    root: import.meta.dirname,
    include: ['*.test.ts'],
    testTimeout: 120_000,
    // Each tool uses one core.
    maxConcurrency: 2,
  },
})
