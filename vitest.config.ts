import { defineConfig } from 'vitest/config'

const shared = {
  // For a machine that is busy with something else: what is slow there is no fault.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  // Real engines and processes on a small machine: more files at once only make each other slow.
  maxWorkers: 2,
} as const

export default defineConfig({
  test: {
    // Log lines of a test that passed are of no use.
    silent: 'passed-only',
    projects: [
      {
        test: {
          ...shared,
          name: 'parts',
          include: ['{agent,functions,shared,stacks,tests}/**/*.test.ts'],
          exclude: ['tests/{e2e,faults,fuzz,infra}/**', 'node_modules/**'],
        },
      },
      {
        test: {
          ...shared,
          name: 'whole',
          include: ['tests/{e2e,fuzz}/**/*.test.ts'],
          globalSetup: ['tests/support/global-stack.ts'],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'faults',
          include: ['tests/faults/**/*.test.ts'],
          globalSetup: ['tests/support/global-build.ts'],
          // A message that is handed out twice comes again only after three minutes.
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
})
