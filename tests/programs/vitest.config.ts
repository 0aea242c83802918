import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const root = join(import.meta.dirname, '../..')

// Functions start in half the time with a compile cache: vitest.config.ts of the repository.
process.env.NODE_COMPILE_CACHE ??= join(root, 'dist/compile-cache')

/** Needs packages that `npm ci` does not install: `npm run programs` installs them. */
export default defineConfig({
  test: {
    name: 'programs',
    root,
    include: ['tests/programs/**/*.test.ts'],
    silent: 'passed-only',
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
