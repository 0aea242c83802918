import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { openEngine, sleeper, tempDir, until } from '../testing/harness.ts'

/** Returns whether an engine has reserved a port against other engines. */
async function isClaimed(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  const bound = once(socket, 'listening')
  socket.bind({ address: '127.0.0.1', port, exclusive: true })
  const claimed = await bound.then(
    () => false,
    () => true,
  )
  socket.close()
  return claimed
}

test('a task’s port is reserved while it runs, and free after it', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path, {
    families: { sleeper, broken: { ...sleeper, command: ['/nowhere'] } },
  })
  const portOf = async (taskDefinition: string, lastStatus: string) => {
    const task = await engine.run({ taskDefinition })
    await engine.told(task, { lastStatus })
    const [container] = (await engine.describe(task)).containers ?? []
    return { task, port: container?.networkBindings?.[0]?.hostPort ?? 0 }
  }
  const { task, port } = await portOf('sleeper', 'RUNNING')
  expect(await isClaimed(port)).toBe(true)
  await engine.stop(task, 'enough')
  await until('the port to be free', async () => !(await isClaimed(port)))

  const failed = await portOf('broken', 'STOPPED')
  expect(failed.port).toBeGreaterThan(0)
  await until('the port to be free', async () => !(await isClaimed(failed.port)))
})
