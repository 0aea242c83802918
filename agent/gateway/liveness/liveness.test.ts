import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GatewayProcess, Home, pieces, until } from '../testing/gateway.ts'
import { beginStream, endStream, sayChunk, Upstream } from '../testing/upstream.ts'

let upstream: Upstream
const homes: Home[] = []

beforeAll(async () => {
  upstream = await Upstream.start()
})
afterAll(async () => {
  await upstream[Symbol.asyncDispose]()
  for (const home of homes) await home[Symbol.asyncDispose]()
})

const standsStill = 'Its event loop stands still.'

/** Loaded into the gateway: on SIGUSR2, prints a line and blocks its event loop for good. */
const blocks = `data:text/javascript,import { writeSync } from 'node:fs'
process.on('SIGUSR2', () => {
  writeSync(2, '${standsStill}')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})`

async function start(more: Record<string, string> = {}): Promise<GatewayProcess> {
  const home = await Home.make()
  homes.push(home)
  const environment = { NODE_OPTIONS: `--import=${encodeURI(blocks)}`, ...more }
  return GatewayProcess.start(home.environment(upstream.baseUrl, environment))
}

/** Returns the child processes of a gateway. */
function childrenOf({ child: { pid = 0 } }: GatewayProcess): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.trim().split(' ').filter(Boolean).map(Number)
}

function isThere(pid: number): boolean {
  try {
    // A zombie, which has ended but was not reaped yet, does not count.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

const killed = { code: null, signal: 'SIGKILL' }

/** Longer than a hang may last, even on a busy machine. */
const hangTimeoutMs = 120_000

describe('a gateway that hangs is killed', () => {
  test.concurrent.each([
    ['is suspended', ['SIGSTOP']],
    ['blocks its event loop', ['SIGUSR2']],
    ['hangs during a shutdown', ['SIGUSR2', 'SIGTERM']],
  ] as const)(
    'a gateway that hangs is killed if it %s',
    async (_, signals) => {
      await using gateway = await start()
      await gateway.json('/memory')
      for (const signal of signals) {
        gateway.child.kill(signal)
        // Wait, because two signals sent at the same time may arrive in any order.
        if (signal === 'SIGUSR2') await until(() => gateway.output.includes(standsStill))
      }
      expect(await gateway.exited).toEqual(killed)
      expect(gateway.output).toContain('The agent’s process has hung for 20 s: killed')
    },
    hangTimeoutMs,
  )
})

test.concurrent(
  'a gateway that hangs is only reported if repair is disabled',
  async () => {
    await using gateway = await start({ AGENT_ON_HANG: 'report' })
    gateway.child.kill('SIGSTOP')
    await until(() => gateway.output.includes('The agent’s process has hung for 20 s\n'), 60_000)
    gateway.child.kill('SIGCONT')
    expect(await gateway.json('/memory')).toMatchObject({ count: 0 })
  },
  hangTimeoutMs,
)

test(
  'a gateway with a slow response is not killed, even during a shutdown',
  async () => {
    const gate = Promise.withResolvers<void>()
    upstream.reply = async (response) => {
      beginStream(response)
      sayChunk(response, 'Hel')
      await gate.promise
      sayChunk(response, 'lo')
      endStream(response)
    }
    await using busy = await start({ SHUTDOWN_GRACE_MS: '600000' })
    await using hung = await start()
    const answer = pieces(
      await busy.chat({ user: 'ann', messages: [{ role: 'user', content: 'hi' }], stream: true }),
    )
    let text = (await answer.next()).value ?? ''
    busy.child.kill('SIGTERM')
    // The busy gateway is silent for as long as the hung one, which its guard kills.
    hung.child.kill('SIGSTOP')
    expect(await hung.exited).toEqual(killed)
    gate.resolve()
    for await (const piece of answer) text += piece
    expect(text).toContain('lo')
    expect(text).toContain('[DONE]')
    expect(await busy.exited).toEqual({ code: 0, signal: null })
  },
  hangTimeoutMs,
)

describe('the watchdog process of a gateway', () => {
  test('gets no secret, and ends with its gateway', async () => {
    const gateway = await start()
    const [guard = 0] = await until(() => {
      const all = childrenOf(gateway)
      return all.length === 1 && all
    })
    const environment = readFileSync(`/proc/${guard}/environ`, 'utf8').split('\0').filter(Boolean)
    // The compile cache saves most of the start.
    expect(environment.filter((each) => !each.startsWith('NODE_COMPILE_CACHE='))).toEqual([])
    await gateway.kill('SIGKILL')
    await until(() => !isThere(guard))
  })

  test('is restarted after it has ended', async () => {
    await using gateway = await start()
    const [first = 0] = await until(() => {
      const all = childrenOf(gateway)
      return all.length === 1 && all
    })
    process.kill(first, 'SIGKILL')
    const [second] = await until(() => {
      const others = childrenOf(gateway).filter((pid) => pid !== first && isThere(pid))
      return others.length === 1 && others
    })
    expect(second).not.toBe(first)
  })
})
