import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { serve } from '@hono/node-server'
import { expect, it, vi } from 'vitest'
import { testSigner } from '#tests/support/chains/signer.ts'
import { busCaller, message } from '#tests/support/network/bus.ts'
import { startTestTable } from '#tests/support/platform/table.ts'

interface Client {
  send(message: object): Promise<Record<string, unknown>>
}

it('the client of docs/use/bus.md has ten lines and sends a message', async () => {
  const text = await readFile(resolve(import.meta.dirname, '../../../docs/use/bus.md'), 'utf8')
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(text) ?? []
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(10)
  const database = await startTestTable()
  const signer = testSigner(database.table)({ requestId: 'req_1', askedBy: 'platform' })
  const bus = busCaller(database.table, { signer })
  const ada = await bus.signer(await bus.subscriber(), { verification: undefined })
  const bob = await bus.signer(await bus.subscriber())
  const dir = await mkdtemp(join(tmpdir(), 'bus-client-'))
  const server = serve({ fetch: bus.fetch, port: 0, hostname: '127.0.0.1' })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  vi.stubEnv('AI_BASE_URL', `http://127.0.0.1:${port}/v1`)
  vi.stubEnv('AI_API_KEY', await bus.agentKey(ada.agent))
  const file = join(dir, 'client.mjs')
  await writeFile(file, code)
  const client = (await import(file)) as Client
  const input = { ...message(ada, bob.agent), metadata: { trace: 1 } }
  const sent = await client.send({ ...input, from: { agentId: ada.agent.id } })
  expect(sent).toEqual({ success: true, messageId: input.messageId })
  const [got] = (await bus.inbox(bob.agent.id)).body.messages
  expect(got?.message).toMatchObject({ messageId: input.messageId, metadata: { trace: 1 } })
  vi.unstubAllEnvs()
  server.close()
  await Promise.all([database.close(), rm(dir, { recursive: true })])
})
