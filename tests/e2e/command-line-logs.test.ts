import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { eventually } from '../support/clock/eventually.ts'
import { commandLine } from '../support/programs/command-line.ts'
import {
  chat,
  lifecycle,
  newSubscriber,
  platformOf,
  runningAgent,
  stack,
  untilStatus,
} from '../support/stack/platform.ts'

const restarts = Number(process.env.LOG_RESTARTS ?? 2)
const breaks = Number(process.env.LOG_BREAKS ?? 2)

/** A proxy in front of the stack that can be made to fail. */
async function startNetwork(to: string) {
  const { hostname, port } = new URL(to)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      // The other side is closed too.
      one.on('error', () => undefined).on('close', () => sockets.delete(one) && other.destroy())
      one.pipe(other)
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    break: () => sockets.forEach((socket) => socket.resetAndDestroy()),
    [Symbol.asyncDispose]: async () => {
      sockets.forEach((socket) => socket.destroy())
      await new Promise((closed) => server.close(closed))
    },
  }
}

interface Line {
  type: string
  text?: string
  id?: string
}

it(
  `a log is followed over ${restarts} restarts and ${breaks} broken connections, without lost or repeated lines`,
  { timeout: 60_000 + (restarts + breaks) * 60_000 },
  async () => {
    const user = await newSubscriber('solo')
    const id = await runningAgent(user)
    const platform = platformOf(user)
    const made = await platform.keys.create({ name: 'CLI' })
    await using network = await startNetwork(stack().web)
    await using agents = await commandLine({
      PLATFORM_URL: network.url,
      PLATFORM_API_KEY: made.key,
    })
    const { child, printed, ended } = agents.start(['logs', id, '-f', '--since', '1h', '--json'])
    const followed = () =>
      printed.stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Line)
    const count = (type: string) => followed().filter((line) => line.type === type).length
    await eventually(() => expect(count('line')).toBeGreaterThan(0))

    /** The log's lines so far. The log contains only an agent's last tasks, so this polls it and keeps every line. */
    const reservations = new Map<string, string>()
    const look = async () => {
      const { lines } = await platform.logs.history(id, { since: '1h', limit: 1000 })
      for (const { at, text } of lines) reservations.set(`${at} ${text}`, text)
    }
    let broken = 0
    for (let restart = 1; restart <= restarts; restart++) {
      await chat(user, { message: `Before restart ${restart}` })
      if (broken < Math.ceil((breaks * restart) / restarts)) {
        broken += 1
        network.break()
        await chat(user, { message: `While nobody reads ${broken}` })
        await eventually(() => expect(printed.stderr.match(/reconnecting/g)).toHaveLength(broken))
      }
      await lifecycle(user, id, 'restart')
      await eventually(() => expect(count('exit')).toBe(restart))
      await untilStatus(user, id, 'running')
      await look()
    }
    await chat(user, { message: 'The last one' })

    const texts = () => followed().flatMap(({ type, text }) => (type === 'line' ? [text] : []))
    await eventually(async () => {
      await look()
      expect(texts()).toEqual([...reservations.values()])
    })
    const ids = followed().flatMap((line) => line.id ?? [])
    expect(new Set(ids).size).toBe(ids.length)
    expect({ broken, exits: count('exit'), gaps: count('gap') }).toEqual({
      broken: breaks,
      exits: restarts,
      gaps: 0,
    })
    child.kill('SIGINT')
    expect((await ended).code).toBe(130)
  },
)
