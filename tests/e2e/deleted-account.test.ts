import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFailed, onTestFinished } from 'vitest'
import { eventually } from '../support/clock/eventually.ts'
import { call } from '../support/http/client.ts'
import { startOwnStack } from '../support/stack/stack-process.ts'

/** contract.md 16. */
const goneWithinMs = 150_000

it('a deleted account leaves no bytes of files, restore points, exports and imports after 150 s', async () => {
  const stack = await startOwnStack()
  onTestFailed(() => void process.stdout.write(stack.now().output()))
  onTestFinished(() => stack[Symbol.asyncDispose]())
  const user = await stack.newSubscriber('solo')
  const { web } = stack.now()
  const ask = (method: string, path: string, body?: object) =>
    call(`${web}${path}`, { method, headers: user.session, body })
  const send = async (path: string, bytes: Uint8Array<ArrayBuffer>) => {
    const headers = { ...user.session, 'content-type': 'application/octet-stream' }
    return (await fetch(`${web}${path}`, { method: 'PUT', headers, body: bytes })).status
  }
  const stored = async () =>
    (
      await readdir(join(stack.dataDir, 'objects'), { recursive: true, withFileTypes: true })
    ).filter((entry) => entry.isFile())

  const agents: string[] = []
  for (const name of ['Ada', 'Bo']) {
    const { body } = await ask('POST', '/api/agents/provision', { name })
    const { id } = body.agent as { id: string }
    agents.push(id)
    for (const [path, size] of [
      ['a.bin', 4_000_000],
      ['b/c.bin', 2_000_000],
    ] as const) {
      const content = new Uint8Array(randomBytes(size))
      await eventually(async () =>
        expect(await send(`/api/agents/${id}/files/content?path=${path}`, content)).toBe(200),
      )
    }
    expect((await ask('POST', `/api/agents/${id}/snapshots`, {})).status).toBe(201)
  }
  const [first, second] = agents
  const { exportId } = (await ask('GET', `/api/agents/${first}/export`)).body
  await eventually(async () =>
    expect((await ask('GET', `/api/agents/${first}/exports/${exportId}`)).body.state).toBe('done'),
  )
  const link = (await ask('POST', '/api/agents/imports', { size: 7 })).body as { url: string }
  const headers = { 'if-none-match': '*' }
  await fetch(link.url, { method: 'PUT', headers, body: new Uint8Array(7) })
  expect((await ask('DELETE', `/api/agents/${second}`)).status).toBe(200)
  await eventually(async () => expect((await stored()).length).toBeGreaterThan(8))

  const deleted = await ask('POST', '/api/account/delete', { password: user.password })
  expect([deleted.status, deleted.body]).toEqual([202, { success: true }])
  await eventually(async () => {
    const left = (await stored()).map(({ parentPath, name }) => join(parentPath, name))
    expect(left).toEqual([])
  }, goneWithinMs)
}, 300_000)
