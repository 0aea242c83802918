import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { functions } from '#shared/manifest/index.ts'
import { root, temporaryDir } from '../local/testing/harness.ts'
import { buildInBackground } from './in-background.ts'

test('a background build prepares the documents for exactly the requests that need them', async () => {
  await using dir = await temporaryDir()
  const problems: unknown[] = []
  const { prepare, pages, consoleDir, functionsDir, stale } = await buildInBackground({
    functions: functions.filter(({ name }) => name === 'web-system'),
    root,
    outDir: dir.path,
    onProblem: (what, error) => void problems.push([what, error]),
  })
  expect(stale).toBe(1)
  const file = (name: string) => existsSync(join(functionsDir, 'web-system', name))
  await prepare('web-system', { rawPath: '/api/health' })
  expect([file('index.cjs'), file('openapi.json')]).toEqual([true, false])
  await prepare('web-system', { rawPath: '/openapi.json' })
  expect(file('openapi.json')).toBe(true)
  await pages
  expect(existsSync(join(consoleDir, 'index.html'))).toBe(true)
  expect(problems).toEqual([])
})
