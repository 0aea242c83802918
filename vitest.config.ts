import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{agent,functions,shared,stacks,tests}/**/*.test.ts'],
    exclude: ['tests/infra/**', 'node_modules/**'],
    // Log lines of a test that passed tell nobody anything.
    silent: 'passed-only',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Real engines and processes on a small machine: more files at once only make each other slow.
    maxWorkers: 2,
  },
})
