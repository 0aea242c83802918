import { globSync, readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { SpreadWaiting } from './tests/support/vitest/sequencer.ts'

// Tests run in many processes and start more. With a compile cache, Node compiles each source once for all of them.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'dist/compile-cache')
// This process has read the variable already. It loads the shared stack.
enableCompileCache(process.env.NODE_COMPILE_CACHE)

const seedProperties = 'tests/support/vitest/seed-properties.ts'

const shared = {
  setupFiles: [seedProperties],
  // Long timeouts, because a busy machine is slow without a fault.
  testTimeout: 60_000,
  expect: { poll: { timeout: 30_000 } },
  hookTimeout: 120_000,
  // Two cores: two files that wait for a clock or a process run beside two that compute.
  maxWorkers: 4,
  // Each request creates many short-lived objects; without this, garbage collection takes 5 % of a test's time.
  execArgv: ['--max-semi-space-size=32'],
}

/** One process loads the shared modules once for many files. Node strips the types itself, without a transform. */
const together = {
  isolate: false,
  setupFiles: [seedProperties, 'tests/support/vitest/restore-globals.ts'],
  experimental: { viteModuleRunner: false },
}

const parts = {
  ...shared,
  globalSetup: ['tests/support/vitest/global-programs.ts'],
  include: ['{agent,clients,functions,ops,shared,stacks,tests}/**/*.test.ts'],
  exclude: [
    'tests/{console,e2e,edge,faults,fuzz,image,infra,openapi,programs,runtime}/**',
    'tests/releases/side-by-side.test.ts',
    'node_modules/**',
  ],
}

/** Test files that reload modules or replace them. */
const loading = globSync(parts.include, {
  cwd: import.meta.dirname,
  exclude: parts.exclude,
}).filter((file) =>
  /\bvi\.(hoisted|mock|doMock|resetModules)\(/.test(
    readFileSync(join(import.meta.dirname, file), 'utf8'),
  ),
)

export default defineConfig({
  test: {
    // Log lines of passed tests are hidden.
    silent: 'passed-only',
    sequence: { sequencer: SpreadWaiting },
    projects: [
      {
        test: {
          ...parts,
          name: 'parts',
          exclude: [...parts.exclude, ...loading],
          ...together,
        },
      },
      { test: { ...parts, name: 'parts-alone', include: loading } },
      {
        test: {
          ...shared,
          ...together,
          name: 'whole',
          include: ['tests/{e2e,fuzz}/**/*.test.ts'],
          globalSetup: ['tests/support/vitest/global-stack.ts'],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          ...shared,
          ...together,
          name: 'faults',
          include: ['tests/faults/**/*.test.ts'],
          globalSetup: ['tests/support/vitest/global-build.ts'],
          // A message that is delivered twice returns only after three minutes.
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
})
