import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { containerFiles } from '#tests/support/agents/container-files.ts'
import { type FilesWorld, startFiles } from '#tests/support/agents/files.ts'
import { playContainer } from '#tests/support/agents/played-container.ts'
import { askFiles } from './ask-files.ts'

let world: FilesWorld
let backend: ReturnType<typeof createServer>

beforeAll(async () => {
  world = await startFiles()
  const listener = getRequestListener(containerFiles(world).fetch)
  backend = createServer((request, response) => void listener(request, response))
  backend.listen(0, '127.0.0.1')
  await once(backend, 'listening')
})
afterAll(async () => {
  backend.closeAllConnections()
  backend.close()
  await world.close()
})

const asking = (key: string) =>
  askFiles({
    backendUrl: `http://127.0.0.1:${(backend.address() as AddressInfo).port}`,
    authorization: `Bearer ${key}`,
    signal: AbortSignal.timeout(30_000),
  })

it('describes what a container stored, of its own agent alone', async () => {
  const [ada, eve] = [await world.newOwner(), await world.newOwner()]
  const [hers, others] = [await playContainer(world, ada, 1), await playContainer(world, eve, 1)]
  try {
    await Promise.all([hers.start(), others.start()])
    hers.disk.set('reports/june.csv', 'day,sum')
    await hers.sync()
    expect(await asking(hers.key)('reports/june.csv')).toMatchObject({
      name: 'june.csv',
      size: 7,
      sha256: createHash('sha256').update('day,sum').digest('hex'),
      parts: [[expect.any(String), expect.any(Number), 7]],
    })
    await expect(asking(others.key)('reports/june.csv')).rejects.toThrow('File not found')
    await expect(asking(hers.key)('reports')).rejects.toThrow('File not found')
    await expect(asking(hers.key)('../openclaw/key')).rejects.toMatchObject({ kind: 'bad-request' })
    await expect(asking('ak_forged')('reports/june.csv')).rejects.toMatchObject({
      kind: 'bad-gateway',
    })
  } finally {
    await Promise.all([hers.close(), others.close()])
  }
})

it('refuses a file above 20 MB', async () => {
  const ada = await world.newOwner()
  const container = await playContainer(world, ada, 1)
  try {
    await container.start()
    container.disk.set('large', 'x'.repeat((20 << 20) + 1))
    await container.sync()
    await expect(asking(container.key)('large')).rejects.toMatchObject({
      kind: 'payload-too-large',
    })
  } finally {
    await container.close()
  }
})
