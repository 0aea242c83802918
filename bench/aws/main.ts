/**
 * Measures the processor time of a request to the table, in turn with the same request by the SDK's client: `node
 * bench/aws/main.ts`. The database has its own process. `--quick`: fewer requests. Fails on wrong answers, never on time.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { sendByHttp } from '#shared/platform/table/send-as-json.ts'
import type { Send } from '#shared/platform/table/send.ts'
import { useLocalCredentials } from '#tests/support/platform/credentials.ts'
import { median } from '../budgets/measure.ts'

type Sender = Pick<Send, 'getMany' | 'update' | 'transact'>

const quick = process.argv.includes('--quick')
const rounds = quick ? 3 : 9
const requests = quick ? 300 : 1500
const connections = 32
/** The maximum share of the SDK's processor time. */
const wanted = 1 / 5

useLocalCredentials()
const database = fork(join(import.meta.dirname, '../lists/database.ts'), ['0'])
const [{ endpoint, tableName: TableName }] = (await once(database, 'message')) as [
  { endpoint: string; tableName: string },
]
const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint }))
const senders: Record<'http' | 'sdk', Sender> = {
  http: sendByHttp(endpoint),
  sdk: {
    getMany: (input) => client.send(new BatchGetCommand(input)),
    update: (input) => client.send(new UpdateCommand(input)),
    transact: (input) => client.send(new TransactWriteCommand(input)),
  },
}

const keys = ['KEY', 'PROFILE'].map((sk) => ({ pk: 'USER#bench', sk }))
const add = {
  UpdateExpression: 'ADD #n :one',
  ExpressionAttributeNames: { '#n': 'n' },
  ExpressionAttributeValues: { ':one': 1 },
}
const row = (n: number) => ({ pk: `ROW#${n}`, sk: 'ROW' })

/** The requests of a call of the AI gateway: key and user, hold, settlement. */
const operations: Record<string, (send: Sender, n: number) => Promise<unknown>> = {
  'two rows read': async (send) => {
    const { Responses } = await send.getMany({
      RequestItems: { [TableName]: { Keys: keys, ConsistentRead: true } },
    })
    if (Responses?.[TableName]?.length !== 2) throw new Error('a row is missing')
  },
  'a row updated': (send, n) =>
    send.update({ TableName, Key: row(n), ...add, ReturnValues: 'ALL_NEW' }),
  'five rows in a transaction': (send, n) =>
    send.transact({
      TransactItems: [1, 2, 3, 4, 5].map((i) => ({
        Update: { TableName, Key: row(1000 * n + i), ...add },
      })),
    }),
}

for (const key of keys)
  await client.send(
    new UpdateCommand({
      TableName,
      Key: key,
      UpdateExpression: 'SET #a = :a',
      ExpressionAttributeNames: { '#a': 'a' },
      ExpressionAttributeValues: { ':a': 'x'.repeat(200) },
    }),
  )
const read = { RequestItems: { [TableName]: { Keys: keys } } }
const [byHttp, bySdk] = [await senders.http.getMany(read), await senders.sdk.getMany(read)]
if (!isDeepStrictEqual(byHttp.Responses, bySdk.Responses)) throw new Error('another answer')

process.stdout.write('CPU of a request in µs, medians of interleaved rounds\n')
for (const [name, operation] of Object.entries(operations)) {
  const spent: Record<string, number[]> = { http: [], sdk: [] }
  for (let round = -1; round < rounds; round++)
    for (const [by, sender] of Object.entries(senders)) {
      const us = await cpuOf(sender, operation)
      if (round >= 0) spent[by]?.push(us)
    }
  const [lean, sdk] = [median(spent['http']!), median(spent['sdk']!)]
  const ratio = lean / sdk
  process.stdout.write(
    `${name.padEnd(28)}${lean.toFixed(0).padStart(6)}  SDK ${sdk.toFixed(0).padStart(6)}  ${ratio.toFixed(2)}  at most ${wanted}: ${ratio <= wanted ? 'met' : 'NOT met'}\n`,
  )
}
process.stdout.write(`a bare node:http request     ${(await floor()).toFixed(0).padStart(5)}\n`)
database.kill()

/** Returns the processor time of the same update sent by node:http with fixed headers, in microseconds. */
async function floor(): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const input = { TableName, Key: { pk: { S: 'ROW' }, sk: { S: 'ROW' } }, ...add }
  const values = { ':one': { N: '1' } }
  const body = JSON.stringify({ ...input, ExpressionAttributeValues: values })
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': 'DynamoDB_20120810.UpdateItem',
    'x-amz-date': '20261126T091500Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=a/20261126/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=a',
  }
  const once = () =>
    new Promise<void>((resolve, reject) => {
      request(endpoint, { method: 'POST', agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`))
        response.resume().once('end', resolve)
      })
        .once('error', reject)
        .end(body)
    })
  const spent: number[] = []
  const sender = senders.http
  for (let round = 0; round < rounds; round++) spent.push(await cpuOf(sender, once))
  agent.destroy()
  return median(spent)
}

/** @returns the microseconds of processor time of one request, with 32 at the same time */
async function cpuOf(sender: Sender, operation: (typeof operations)[string]): Promise<number> {
  const before = process.cpuUsage()
  let sent = 0
  await Promise.all(
    Array.from({ length: connections }, async (_, n) => {
      while (sent++ < requests) await operation(sender, n)
    }),
  )
  const { user, system } = process.cpuUsage(before)
  return (user + system) / requests
}
