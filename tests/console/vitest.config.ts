import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// The stacks and agents of all tests share compiled code.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../dist/compile-cache')

/** Tests of the console in a browser, over a stack of its own. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['tests/console/**/*.test.ts'],
    globalSetup: ['tests/console/support/global-stack.ts'],
    setupFiles: ['tests/support/vitest/seed-properties.ts'],
    silent: 'passed-only',
    testTimeout: 120_000,
    // Enough for a busy machine.
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 120_000,
    // Four browsers on two cores: each spends more time waiting than computing.
    maxWorkers: 4,
    // One process loads the shared modules once for many files, and Node strips the types.
    isolate: false,
    experimental: { viteModuleRunner: false },
  },
})
