import { expect, test, vi } from 'vitest'
import { openStore } from '../store/open.ts'
import { tempDir } from '../testing/harness.ts'

/** Returns the port that another engine on this machine gets, if it starts at the same candidate. */
async function claimAsAnother() {
  vi.resetModules()
  vi.spyOn(Math, 'random').mockReturnValueOnce(0.5)
  const { claimPort } = await import('./port.ts')
  await using dir = await tempDir()
  const store = openStore(dir.path)
  const claim = await claimPort(store)
  store.close()
  return claim
}

test('a port is given to one engine only, even before a process listens on it', async () => {
  const claims = [await claimAsAnother(), await claimAsAnother(), await claimAsAnother()]
  expect(new Set(claims.map(({ port }) => port)).size).toBe(3)
  for (const { release } of claims) release()
})
