import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['tests/image/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 1_800_000,
    // Both make their base in the same folder, the one's of the other's.
    fileParallelism: false,
  },
})
