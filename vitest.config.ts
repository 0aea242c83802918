import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { SpreadWaiting } from './tests/support/sequencer.ts'

// Tests run in many processes, and start more: with this, Node compiles a source once for all of them.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'dist/compile-cache')

const shared = {
  // For a machine that is busy with something else: what is slow there is no fault.
  testTimeout: 60_000,
  expect: { poll: { timeout: 30_000 } },
  hookTimeout: 120_000,
  // Real engines and processes on two cores: two files that wait, for a clock or a process, beside two that compute.
  maxWorkers: 4,
  // Room for young objects, of which each request makes many: without it a twentieth of a test's time collects them.
  execArgv: ['--max-semi-space-size=32'],
}

/** One process loads the shared modules once for many files, by Node itself: it strips types without a transform. */
const together = {
  isolate: false,
  setupFiles: ['tests/support/as-found.ts'],
  experimental: { viteModuleRunner: false },
}

const parts = {
  ...shared,
  globalSetup: ['tests/support/global-programs.ts'],
  include: ['{agent,clients,functions,ops,shared,stacks,tests}/**/*.test.ts'],
  exclude: [
    'tests/{console,e2e,edge,faults,fuzz,image,infra,openapi}/**',
    'tests/releases/side-by-side.test.ts',
    'node_modules/**',
  ],
}

/** The parts' files that load modules anew, or others in their place. */
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
    // Log lines of a test that passed are of no use.
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
          globalSetup: ['tests/support/global-stack.ts'],
          testTimeout: 120_000,
        },
      },
      {
        test: {
          ...shared,
          ...together,
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
