import { defineConfig } from 'vitest/config'

const shared = {
  // Log lines of a test that passed tell nobody anything.
  silent: 'passed-only',
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // Real engines and processes on a small machine: more files at once only make each other slow.
  maxWorkers: 2,
} as const

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'parts',
          include: ['{agent,functions,shared,stacks,tests}/**/*.test.ts'],
          exclude: ['tests/{e2e,infra}/**', 'node_modules/**'],
        },
      },
      {
        test: {
          ...shared,
          name: 'whole',
          include: ['tests/e2e/**/*.test.ts'],
          globalSetup: ['tests/support/global-stack.ts'],
        },
      },
    ],
  },
})
