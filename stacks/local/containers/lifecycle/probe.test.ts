import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { HealthStatus } from '../tasks/task.ts'
import { watchHealth } from './probe.ts'

test('a container that upgrades to another protocol is not healthy', async () => {
  const server = createServer(({ socket }) => {
    socket.write('HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const probe = { path: '/', startPeriodMs: 0, intervalMs: 5, timeoutMs: 5000, retries: 2 }
  const over = new AbortController()
  const told: HealthStatus[] = []
  const tell = (status: HealthStatus) => {
    told.push(status)
    over.abort()
  }
  await watchHealth(port, probe, tell, over.signal)
  expect(told).toEqual(['UNHEALTHY'])
})
