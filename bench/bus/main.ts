/**
 * The bus: `node bench/bus/main.ts`. First the processor time of a message that is read, checked and accepted beside
 * viem's verifyMessage, which checks the signature and nothing else: the table answers at once, so that what is left is
 * ours. Rounds alternate; fails over 1.5 times. Then messages a second,
 * verified and delivered to a webhook, over the embedded database in a process of its own, beside its floor: the same
 * requests to that database alone. Both are told and not judged, as a busy machine slows them together.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Hex, verifyMessage } from 'viem'
import { dynamoTable } from '../../shared/platform/table/dynamo.ts'
import { useLocalCredentials } from '../../tests/support/credentials.ts'
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
      // The first round only warms up.
      if (round > 0) (samples[name] ??= []).push((user + system) / perRound)
    }
  const [base = [], own = []] = Object.values(samples)
  const ratio = median(own.map((time, i) => time / (base[i] ?? Number.NaN)))
  for (const [name, times] of Object.entries(samples))
    process.stdout.write(`${name.padEnd(20)} ${median(times).toFixed(0)} µs\n`)
  process.stdout.write(`ratio ${ratio.toFixed(2)}, allowed ${allowed}\n`)
  return ratio <= allowed
}

/** How often a second something can be done, 32 at once: the median of the seconds behind the first. */
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
  // Signed beforehand: whose agents send is elsewhere.
  const messages = await Promise.all(Array.from({ length: 5000 }, () => newMessage(both)))
  const sent = await rateOf(5, () => readAndSend(table, messages.pop()?.json ?? ''))
  const floor = await rateOf(5, () => requestsAlone(table))
  database.kill()
  hook.closeAllConnections()
  hook.close()
  process.stdout.write(`verified and delivered ${sent} a second; the table alone ${floor}\n`)
}

const held = await compare()
await throughput()
process.exitCode = held ? 0 : 1
