import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['tests/releases/side-by-side.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 900_000,
    // Each test uses the data that the previous one leaves.
    bail: 1,
  },
})
