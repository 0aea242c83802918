/**
 * Compares the embedded database with dynalite in memory, over HTTP with the SDK's client, each in its own process:
 * `node bench/database/main.ts`. Rounds alternate, so that a busy machine slows both. Prints medians and their ratios.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  CreateTableCommand,
  DynamoDBClient,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import { layout } from '#stacks/local/database/conformance/subject.ts'

const ROUNDS = 7
const REQUESTS = 2000
const CONCURRENCY = 50
const TableName = 'bench'

interface Candidate {
  name: string
  client: DynamoDBClient
  pid: number
  startMs: number
  stop(): Promise<void>
}

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

async function launch(name: string, args: string[], port: number): Promise<Candidate> {
  const began = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const startMs = performance.now() - began
  const endpoint = /http:[^"\s]*/.exec(String(line))?.[0] ?? `http://127.0.0.1:${port}`
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const client = new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials,
  })
  await client.send(new CreateTableCommand({ ...layout, TableName }))
  return {
    name,
    client,
    pid: child.pid ?? 0,
    startMs,
    async stop() {
      client.destroy()
      const exited = once(child, 'exit')
      child.kill()
      await exited
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

let serial = 0
const item = () => ({
  pk: { S: `user-${++serial % 500}` },
  sk: { S: `item-${serial}` },
  owner: { S: `owner-${serial % 50}` },
  at: { N: String(serial) },
  text: { S: 'x'.repeat(200) },
})

const put = (client: DynamoDBClient) => client.send(new PutItemCommand({ TableName, Item: item() }))
const transact = (client: DynamoDBClient) =>
  client.send(
    new TransactWriteItemsCommand({
      TransactItems: [{ Put: { TableName, Item: item() } }, { Put: { TableName, Item: item() } }],
    }),
  )

/** Returns the requests per second at a constant concurrency. */
async function throughput(request: () => Promise<unknown>): Promise<number> {
  let left = REQUESTS
  const began = performance.now()
  const worker = async () => {
    while (left-- > 0) await request()
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return (REQUESTS / (performance.now() - began)) * 1000
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
const megabytes = (pid: number) =>
  Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)])) / 1024)

const dir = await mkdtemp(join(tmpdir(), 'bench-database-'))
const port = await freePort()
const dynalite = ['--createTableMs', '0', '--host', '127.0.0.1', '--port', String(port)]
const candidates = [
  await launch('embedded', [file('stacks/local/database/conformance/child.ts'), dir], 0),
  await launch('dynalite', [file('node_modules/dynalite/cli.js'), ...dynalite], port),
]
const [ours, theirs] = candidates as [Candidate, Candidate]
const idle = candidates.map(({ pid }) => megabytes(pid))
const puts: Record<string, number[]> = { embedded: [], dynalite: [] }
const transactions: number[] = []
for (let round = 0; round <= ROUNDS; round++) {
  const results = []
  for (const { name, client } of candidates) {
    results.push({ name, rate: await throughput(() => put(client)) })
  }
  const rate = await throughput(() => transact(ours.client))
  if (round === 0) continue
  for (const result of results) puts[result.name]?.push(result.rate)
  transactions.push(rate)
}

const [put1 = 0, put2 = 0] = [ours, theirs].map(({ name }) => median(puts[name] ?? []))
const report = candidates.map(({ name, pid, startMs }, i) => ({
  engine: name,
  'start ms': Math.round(startMs),
  'idle MB': idle[i],
  'loaded MB': megabytes(pid),
  'put/s': Math.round(median(puts[name] ?? [])),
  'transact/s': name === 'embedded' ? Math.round(median(transactions)) : 'none',
}))
const lines = report.map((row) => JSON.stringify(row))
process.stdout.write(`${lines.join('\n')}\nput ratio ${(put1 / put2).toFixed(2)}\n`)
await Promise.all(candidates.map(({ stop }) => stop()))
await rm(dir, { recursive: true })
