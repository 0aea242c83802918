import { join } from 'node:path'
import { build } from 'esbuild'
import { expect } from 'vitest'
import type { seenBy } from './scenario.ts'

const root = join(import.meta.dirname, '../../../..')

export type Seen = Awaited<ReturnType<typeof seenBy>>

/**
 * Bundles the scenario with the built client into one module.
 * @param use the code after its import of `seenBy`
 */
export async function scenarioBundle(use: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { seenBy } from './scenario.ts'\n${use}`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    logLevel: 'silent',
    plugins: [
      {
        name: 'built-client',
        setup: ({ onResolve }) =>
          onResolve({ filter: /clients\/typescript\/index\.ts$/ }, () => ({
            path: join(root, 'dist/clients/typescript/index.js'),
          })),
      },
    ],
  })
  return outputFiles[0]?.text ?? ''
}

/** Asserts that the client worked in an engine. */
export function expectSeen(seen: Seen, agentId: string): void {
  expect(seen).toEqual({
    listed: [agentId],
    pieces: expect.any(Number),
    answer: expect.stringContaining('Good morning'),
    logged: 'line',
    error: { name: 'NotFoundError', ofItsClass: true, status: 404, hasRequest: true },
  })
  expect(seen.pieces).toBeGreaterThan(0)
}
