import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { useLocalCredentials } from '#tests/support/platform/credentials.ts'
import { lambdaInvoke } from './lambda.ts'

beforeAll(() => useLocalCredentials())

async function startFunction(answer: RequestListener) {
  let calls = 0
  const server = createServer((request, response) => {
    calls++
    answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const invoke = lambdaInvoke({ functionName: 'signer', endpoint, timeoutMs: 60_000 })
  return { invoke, calls: () => calls }
}

const unavailable = { kind: 'unavailable', headers: { 'Retry-After': '1' } }

it('a function that hangs is awaited up to the timeout of a call, and not called again', async () => {
  const over = new AbortController()
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(over.signal)
  onTestFinished(() => timeout.mockRestore())
  const { invoke, calls } = await startFunction(() =>
    over.abort(new DOMException('The time is over', 'TimeoutError')),
  )
  await expect(invoke({})).rejects.toMatchObject(unavailable)
  expect(timeout.mock.calls).toEqual([[60_000]])
  expect(calls()).toBe(1)
})

it('a broken connection is retried once', async () => {
  const { invoke, calls } = await startFunction(({ socket }) => socket.destroy())
  await expect(invoke({})).rejects.toMatchObject(unavailable)
  expect(calls()).toBe(2)
})
