import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { SpreadWaiting } from './tests/support/sequencer.ts'

// Every file is a process of its own, and starts more: with this, Node compiles a source once for all of them.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'dist/compile-cache')

const shared = {
  // For a machine that is busy with something else: what is slow there is no fault.
  testTimeout: 60_000,
  hookTimeout: 120_000,
  // Real engines and processes on two cores: one file that waits beside two that compute. More would only slow each other.
  maxWorkers: 3,
} as const

export default defineConfig({
  test: {
    // Log lines of a test that passed are of no use.
    silent: 'passed-only',
    sequence: { sequencer: SpreadWaiting },
    projects: [
      {
        test: {
          ...shared,
          name: 'parts',
          globalSetup: ['tests/support/global-programs.ts'],
          include: ['{agent,functions,ops,shared,stacks,tests}/**/*.test.ts'],
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
