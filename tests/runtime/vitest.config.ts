import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const root = join(import.meta.dirname, '../..')

// Functions start in half the time with a compile cache: vitest.config.ts of the repository.
process.env.NODE_COMPILE_CACHE ??= join(root, 'dist/compile-cache')

export default defineConfig({
  test: {
    name: 'runtime',
    root,
    include: ['tests/runtime/*.test.ts'],
    silent: 'passed-only',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Each test starts a process, which needs a core.
    maxConcurrency: 2,
  },
})
