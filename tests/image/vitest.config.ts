import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    include: ['tests/image/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 1_800_000,
    // Both files build their base in the same folder, one from the other's.
    fileParallelism: false,
  },
})
