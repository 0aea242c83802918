import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// Each test runs the program in a process of its own. With a compile cache, Node compiles Pulumi once for all of them.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../dist/compile-cache')

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
    // A process loads the modules once for many files, and Node strips the types.
    isolate: false,
    experimental: { viteModuleRunner: false },
  },
})
