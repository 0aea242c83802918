import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eventually } from '../support/clock/eventually.ts'
import { newSubscriber, platformOf, provision, stack } from '../support/stack/platform.ts'

/** The number of objects of an agent on this machine. */
async function objectsOf(agentId: string): Promise<number> {
  const folder = join(stack().dataDir, 'objects/whole/files', agentId)
  return (await readdir(folder).catch(() => [])).length
}

it('files of an agent are written, read, uploaded by a link, and removed with the agent', async () => {
  const user = await newSubscriber()
  const { agents, storage } = platformOf(user)
  const id = await provision(user)
  await agents.stop(id)
  await agents.waitUntil(id, 'stopped')
  const bytes = new TextEncoder().encode('- buy milk\n')
  expect(await agents.files.put(id, 'lists/today.md', bytes)).toMatchObject({ size: 11 })
  expect(await (await agents.files.get(id, 'lists/today.md')).text()).toBe('- buy milk\n')
  const whole = new Uint8Array(4 * 1024 * 1024).fill(7)
  await agents.files.put(id, 'four-megabytes', whole)
  expect((await (await agents.files.get(id, 'four-megabytes')).arrayBuffer()).byteLength).toBe(
    whole.length,
  )
  const large = new Uint8Array(5 * 1024 * 1024).fill(9)
  const { url, method, headers } = await agents.files.upload(id, {
    path: 'lists/large',
    size: large.length,
  })
  expect((await fetch(url, { method, headers, body: large })).status).toBe(200)
  const uploadedAt = Date.now()
  await eventually(async () => {
    const { entries } = await agents.files.list(id, { path: 'lists' })
    expect(entries.map(({ name }) => name)).toEqual(['large', 'today.md'])
  })
  // contract.md 16: listed within 10 s.
  expect(Date.now() - uploadedAt).toBeLessThan(10_000)
  const range = { headers: { range: 'bytes=1-3' } }
  const part = await agents.files.get(id, 'lists/large', range)
  expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 3])
  const usedBytes = 11 + whole.length + large.length
  expect(await storage.get()).toMatchObject({
    usedBytes,
    agents: [{ agentId: id, bytes: usedBytes }],
  })
  await agents.files.delete(id, 'lists', { recursive: true })
  expect((await storage.get()).usedBytes).toBe(whole.length)
  expect(await objectsOf(id)).toBeGreaterThan(0)
  await agents.delete(id)
  await eventually(async () => expect(await storage.get()).toMatchObject({ agents: [] }))
})
