import { setTimeout as wait } from 'node:timers/promises'
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { askDatabase } from '#carrier'

let calls = 0

/** An HTTP function that does what the last segment of the path says and logs its slow work. */
export async function handler(event: APIGatewayProxyEventV2, context: Context): Promise<unknown> {
  calls++
  switch (event.rawPath.split('/').at(-1)) {
    case 'event':
      return json({ event })
    case 'context':
      return json({ ...context, remaining: context.getRemainingTimeInMillis() })
    case 'environment':
      return json(process.env)
    case 'database':
      return json(await askDatabase?.('ListTables', '{}'))
    case 'pid':
      return json({ pid: process.pid })
    case 'calls':
      return json({ calls })
    case 'cookies':
      return {
        statusCode: 201,
        headers: { 'x-one': 'a' },
        multiValueHeaders: { 'x-many': ['b', 'c'] },
        cookies: ['first=1; Path=/', 'second=2'],
        body: 'set',
      }
    case 'binary':
      return {
        statusCode: 200,
        headers: { 'content-type': 'application/octet-stream' },
        body: event.body ?? '',
        isBase64Encoded: event.isBase64Encoded,
      }
    case 'bare':
      return { bare: true }
    case 'none':
      return { statusCode: 204 }
    case 'bad-header':
      return { statusCode: 200, headers: { 'bad name': 'x' }, body: '' }
    case 'throw':
      throw new TypeError('the handler threw')
    case 'reject-later':
      setTimeout(() => {
        throw new Error('nothing catches this')
      })
      return wait(600_000)
    case 'exit':
      return process.exit(3)
    case 'loop':
      say({ looping: true })
      for (;;) calls++
    case 'slow':
      say({ slow: event.rawQueryString })
      await wait(Number(event.queryStringParameters?.['ms']))
      return json({ slow: true })
    default:
      return json({ other: event.rawPath })
  }
}

function json(value: unknown) {
  return {
    statusCode: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value ?? null),
  }
}

function say(fact: object): void {
  process.stdout.write(`${JSON.stringify(fact)}\n`)
}
