import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Explorer, startExplorer } from '#tests/support/tools/explorer.ts'

const requests = 3000

let explorer: Explorer

beforeAll(async () => {
  explorer = await startExplorer()
})
afterAll(() => explorer.close())

/**
 * Replaces a path of the workspace by a link to the same name outside, in a loop. A file that is written there in
 * between is removed.
 */
const swapper = `
const { renameSync, rmSync, symlinkSync } = require('node:fs')
const { workerData: { path, aside, target, turns } } = require('node:worker_threads')
const putThere = (put) => {
  for (;;) {
    try {
      return put()
    } catch {
      rmSync(path, { recursive: true, force: true, maxRetries: 3 })
    }
  }
}
while (Atomics.load(turns, 1) === 0) {
  renameSync(path, aside)
  putThere(() => symlinkSync(target, path))
  rmSync(path)
  putThere(() => renameSync(aside, path))
  Atomics.add(turns, 0, 1)
}
`

/** @returns how often the path was swapped during the work */
async function whileSwapping(name: string, work: () => Promise<void>): Promise<number> {
  const turns = new Int32Array(new SharedArrayBuffer(8))
  const at = join(explorer.root, name)
  const target = join(explorer.outside, name)
  const worker = new Worker(swapper, {
    eval: true,
    workerData: { path: at, aside: `${at}-aside`, target, turns },
  })
  const ended = once(worker, 'exit')
  await once(worker, 'online')
  try {
    await work()
  } finally {
    Atomics.store(turns, 1, 1)
    await ended
  }
  return Atomics.load(turns, 0)
}

async function inBatches(ask: (i: number) => Promise<unknown>): Promise<unknown[]> {
  const answers: unknown[] = []
  for (let i = 0; i < requests; i += 20)
    answers.push(...(await Promise.all(Array.from({ length: 20 }, (_, k) => ask(i + k)))))
  return answers
}

it.each([
  ['a folder', 'folder', 'folder/file'],
  ['the file itself', 'file', 'file'],
])(
  'no file outside is read, written or listed while %s is swapped for a link',
  { timeout: 120_000 },
  async (_, swapped, path) => {
    const { root, outside, put, call } = explorer
    await put(path, 'inside')
    const secret = join(outside, path)
    if (path !== swapped) await put(`../outside/${path}`, 'secret')
    else await writeFile(secret, 'secret')
    const outsideNow = await readdir(outside, { recursive: true })
    const observed = new Map<string, number>()
    const swaps = await whileSwapping(swapped, async () => {
      await inBatches(async (i) => {
        const kind = ['read', 'write', 'tree'][i % 3] ?? ''
        const [status, body] =
          kind === 'read'
            ? await explorer.read(path)
            : kind === 'write'
              ? await explorer.write(path, 'inside')
              : await call('GET', '/api/browse/tree')
        const text = JSON.stringify(body)
        expect(text).not.toContain('secret')
        expect(text).not.toContain('outside')
        const outcome = `${kind} ${status}`
        observed.set(outcome, (observed.get(outcome) ?? 0) + 1)
      })
    })
    expect(await readFile(secret, 'utf8')).toBe('secret')
    expect(await readdir(outside, { recursive: true })).toEqual(outsideNow)
    expect(await readFile(join(root, path), 'utf8')).toBe('inside')
    // The race took place: the path was swapped many times, and requests met it in each of its states.
    expect(swaps).toBeGreaterThan(100)
    expect([...observed.keys()]).toEqual(
      expect.arrayContaining(['read 200', 'read 400', 'write 200', 'write 400', 'tree 200']),
    )
    const statuses = [...observed.keys()].map((outcome) => outcome.split(' ')[1])
    expect(statuses.filter((status) => !['200', '400', '404'].includes(status ?? ''))).toEqual([])
  },
)
