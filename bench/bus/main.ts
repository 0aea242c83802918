/**
 * Measures the bus: `node bench/bus/main.ts`. First the CPU time of a message that is read, checked and accepted,
 * relative to viem's verifyMessage, which only checks the signature. The table responds immediately, so that only our
 * own code counts. Rounds alternate; fails above 1.5. Then the messages per second that are verified and delivered to a
 * webhook, with the embedded database in its own process, next to a floor: the same database requests alone. These two
 * rates are only printed, because a busy machine slows both.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Hex, verifyMessage } from 'viem'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { useLocalCredentials } from '#tests/support/platform/credentials.ts'
import { newMessage, parties, quickTable, readAndSend, requestsAlone } from './messages.ts'

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

async function compare(): Promise<boolean> {
  const [rounds, perRound, allowed] = [15, 100, 1.5]
  const table = quickTable()
  const both = await parties(table)
  const candidates: Record<
    string,
    (one: Awaited<ReturnType<typeof newMessage>>) => Promise<unknown>
  > = {
    'viem verifyMessage': ({ text, signature }) =>
      verifyMessage({
        address: both.from.wallet.address as Hex,
        message: text,
        signature: signature as Hex,
      }),
    'bus message': ({ json }) => readAndSend(table, json),
  }
  const samples: Record<string, number[]> = {}
  for (let round = 0; round <= rounds; round++)
    for (const [name, run] of Object.entries(candidates)) {
      const messages = await Promise.all(Array.from({ length: perRound }, () => newMessage(both)))
      const began = process.cpuUsage()
      for (const one of messages) await run(one)
      const { user, system } = process.cpuUsage(began)
      // The first round warms up.
      if (round > 0) (samples[name] ??= []).push((user + system) / perRound)
    }
  const [base = [], own = []] = Object.values(samples)
  const ratio = median(own.map((time, i) => time / (base[i] ?? Number.NaN)))
  for (const [name, times] of Object.entries(samples))
    process.stdout.write(`${name.padEnd(20)} ${median(times).toFixed(0)} µs\n`)
  process.stdout.write(`ratio ${ratio.toFixed(2)}, allowed ${allowed}\n`)
  return ratio <= allowed
}

/** Returns the runs per second with 32 runs in parallel: the median over the seconds after the first. */
async function rateOf(seconds: number, run: () => Promise<unknown>): Promise<number> {
  const counts: number[] = []
  const began = performance.now()
  const second = () => Math.floor((performance.now() - began) / 1000)
  const worker = async () => {
    while (second() < seconds) {
      await run()
      counts[second()] = (counts[second()] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: 32 }, worker))
  return median(counts.slice(1, seconds))
}

async function throughput(): Promise<void> {
  const hook = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-length': 0 }).end())
  })
  hook.listen(0, '127.0.0.1')
  await once(hook, 'listening')
  useLocalCredentials()
  const database = fork(join(import.meta.dirname, 'database', 'main.ts'))
  const [{ tableName, endpoint }] = (await once(database, 'message')) as [
    { tableName: string; endpoint: string },
  ]
  const table = dynamoTable({ tableName, endpoint })
  const { port } = hook.address() as AddressInfo
  const both = await parties(table, `http://127.0.0.1:${port}/hook`)
  // Signed in advance, because the agents that send them run elsewhere.
  const messages = await Promise.all(Array.from({ length: 5000 }, () => newMessage(both)))
  const sent = await rateOf(5, () => readAndSend(table, messages.pop()?.json ?? ''))
  const floor = await rateOf(5, () => requestsAlone(table))
  database.kill()
  hook.closeAllConnections()
  hook.close()
  process.stdout.write(`verified and delivered ${sent} a second; the table alone ${floor}\n`)
}

const passed = await compare()
await throughput()
process.exitCode = passed ? 0 : 1
