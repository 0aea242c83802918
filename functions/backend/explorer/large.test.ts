import { once } from 'node:events'
import { open, utimes } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Explorer, startExplorer } from '#tests/support/tools/explorer.ts'
import { beginRepository } from '#tests/support/tools/git-repositories.ts'
import { type GitCommand, gitIn } from '#tests/support/tools/git.ts'

const megabyte = 1_048_576

let explorer: Explorer
let git: GitCommand

beforeEach(async () => {
  explorer = await startExplorer()
  git = gitIn(explorer.root)
  await beginRepository(explorer, git)
})
afterEach(() => explorer.close())

const at = (path: string) => join(explorer.root, path)
const status = () => explorer.call('GET', '/api/browse/git-status')
const sync = () => explorer.call<{ error: string }>('POST', '/api/browse/git-sync', { body: {} })

/** A sparse file of zeros. */
async function putZeros(path: string, size: number) {
  const file = await open(at(path), 'w')
  await file.truncate(size)
  await file.close()
}

/** Returns the peak size of buffers during the work, above the size before. */
async function peakBuffers(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }, 1)
  await work().finally(() => clearInterval(timer))
  return most
}

describe('a large file', () => {
  it('a large file that exceeds the memory of a process counts as changed without a read', async () => {
    await putZeros('a.txt', 5000 * megabyte)
    const changes = [{ status: 'M', path: 'a.txt' }]
    expect(await status()).toMatchObject([200, { changes }])
    const [, { unstaged }] = await explorer.call<{ unstaged: string }>(
      'GET',
      '/api/browse/git-diff',
    )
    expect(unstaged).toContain(
      'Omitted because of the size of the response: 1 more, beginning with "a.txt"',
    )
  })

  it('a large file of the same size is compared in chunks', async () => {
    await putZeros('zeros', 192 * megabyte)
    await git('add', '-A')
    await git('commit', '-qm', 'large')
    await utimes(at('zeros'), new Date(), new Date('2020-01-01'))
    const peak = await peakBuffers(async () => {
      expect(await status()).toMatchObject([200, { hasChanges: false }])
    })
    expect(peak).toBeLessThan(48 * megabyte)
  })

  it('is not committed, and the error names it', async () => {
    await putZeros('huge', 50 * megabyte + 1)
    await explorer.put('a.txt', 'changed\n')
    const head = await git('rev-parse', 'HEAD')
    expect(await sync()).toEqual([
      500,
      {
        error: 'Staging failed: huge has more than 50 MB; exclude it by a rule in .gitignore',
      },
    ])
    expect(await git('rev-parse', 'HEAD')).toBe(head)
    expect(await git('diff', '--cached', '--name-only')).toBe('')
    await explorer.put('.gitignore', 'huge\n')
    expect(await sync()).toMatchObject([200, { committed: true }])
  })

  it('is rejected as an index', async () => {
    await putZeros('.git/index', 60 * megabyte)
    const error = 'The repository’s index cannot be read: index has more than 50000000 bytes'
    expect(await status()).toEqual([500, { error }])
  })
})

describe('concurrent syncs', () => {
  it('wait up to a limit of eight, and further ones are rejected', async () => {
    const requests: (() => void)[] = []
    const server = createServer((_, response) => {
      requests.push(() => response.writeHead(404).end())
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const { port } = server.address() as AddressInfo
      await git('remote', 'add', 'origin', `http://127.0.0.1:${port}/one.git`)
      await explorer.put('a.txt', 'changed\n')
      const first = sync()
      await expect.poll(() => requests.length, { timeout: 60_000 }).toBeGreaterThan(0)
      const answers: Awaited<ReturnType<typeof sync>>[] = []
      const others = Array.from({ length: 20 }, () =>
        sync().then((answer) => void answers.push(answer)),
      )
      const refused = () => answers.filter(([code]) => code === 429)
      await expect.poll(() => refused().length, { timeout: 60_000 }).toBe(12)
      const error = 'Too many syncs are waiting; try again soon'
      expect(refused()).toEqual(Array.from({ length: 12 }, () => [429, { error }]))
      server.on('request', () => requests.at(-1)?.())
      requests[0]?.()
      expect(await first).toMatchObject([200, { committed: true, pushed: false }])
      await Promise.all(others)
      expect(answers.filter(([code]) => code === 200)).toHaveLength(8)
      expect(await sync()).toMatchObject([200, { committed: false }])
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})
