import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { layout } from './conformance/subject.ts'
import { openEngine } from './engine.ts'
import type { Engine } from './engine.ts'
import { DatabaseError } from './errors.ts'
import { startDatabase } from './server.ts'
import type { Database } from './server.ts'

const TableName = 'table'

function open(clock?: () => number): Engine {
  const engine = openEngine({ dir: ':memory:', ...(clock && { clock }) })
  engine.call('CreateTable', { ...structuredClone(layout), TableName })
  return engine
}

function failure(call: () => unknown): DatabaseError {
  try {
    call()
  } catch (error) {
    if (error instanceof DatabaseError) return error
    throw error
  }
  throw new Error('the call did not fail')
}

describe('the engine in process', () => {
  test('runs an operation and names its errors as DynamoDB does', () => {
    const engine = open()
    const Item = { pk: { S: 'a' }, sk: { S: 'b' } }
    engine.call('PutItem', { TableName, Item })
    expect(engine.call('GetItem', { TableName, Key: Item })).toEqual({ Item })
    const error = failure(() => engine.call('GetItem', { TableName: 'nothing', Key: Item }))
    expect(error.body).toEqual({
      __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException',
      message: 'Requested resource not found',
    })
    engine.close()
  })

  test('rejects unsupported operations and legacy parameters', () => {
    const engine = open()
    expect(failure(() => engine.call('ExecuteStatement', {})).name).toBe(
      'UnknownOperationException',
    )
    expect(failure(() => engine.call('constructor', {})).name).toBe('UnknownOperationException')
    const Key = { pk: { S: 'a' }, sk: { S: 'b' } }
    const legacy = { TableName, Key, Expected: { a: { Exists: false } } }
    expect(failure(() => engine.call('DeleteItem', legacy)).message).toBe(
      'Expected is not supported by this engine',
    )
    engine.close()
  })

  test('rejects a value that is nested too deeply', () => {
    const engine = open()
    const levels = 20_000
    const value = '{"L":['.repeat(levels) + ']}'.repeat(levels)
    const Item = JSON.parse(`{"pk":{"S":"a"},"sk":{"S":"b"},"deep":${value}}`) as unknown
    const error = failure(() => engine.call('PutItem', { TableName, Item }))
    expect(error.message).toBe('Nesting Levels have exceeded supported limits')
    engine.close()
  })

  test('returns a reason for each rejected action', () => {
    const engine = open()
    const item = (sk: string) => ({ pk: { S: 'a' }, sk: { S: sk } })
    const update = {
      TableName,
      Key: item('1'),
      UpdateExpression: 'SET n = missed + :one',
      ExpressionAttributeValues: { ':one': { N: '1' } },
    }
    const TransactItems = [{ Put: { TableName, Item: item('2') } }, { Update: update }]
    const error = failure(() => engine.call('TransactWriteItems', { TransactItems }))
    expect(error.details.CancellationReasons).toEqual([
      { Code: 'None' },
      {
        Code: 'ValidationError',
        Message: 'The provided expression refers to an attribute that does not exist in the item',
      },
    ])
    expect(engine.call('Scan', { TableName })).toMatchObject({ Count: 0 })
    engine.close()
  })

  test('remembers a client token for ten minutes', () => {
    let now = 0
    const engine = open(() => now)
    const put = (sk: string) =>
      engine.call('TransactWriteItems', {
        ClientRequestToken: 'token',
        TransactItems: [{ Put: { TableName, Item: { pk: { S: 'a' }, sk: { S: sk } } } }],
      })
    put('1')
    now = 10 * 60 * 1000 - 1
    expect(failure(() => put('2')).name).toBe('IdempotentParameterMismatchException')
    now++
    put('2')
    expect(engine.call('Scan', { TableName })).toMatchObject({ Count: 2 })
    engine.close()
  })
})

describe('the server', () => {
  let database: Database
  beforeAll(async () => {
    database = await startDatabase({ dir: ':memory:' })
  })
  afterAll(() => database.close())

  const signed = {
    authorization: 'AWS4-HMAC-SHA256 Credential=local/20261121/us-east-1/dynamodb/aws4_request',
    'x-amz-target': 'DynamoDB_20120810.ListTables',
  }
  async function post(headers: OutgoingHttpHeaders, body: string, method = 'POST') {
    const outgoing = request(database.endpoint, { method, headers, agent: false })
    outgoing.end(body)
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    return { status: answer.statusCode, body: JSON.parse(await text(answer)) as unknown }
  }
  const error = (name: string) => ({
    status: 400,
    body: { __type: expect.stringMatching(`#${name}$`) as string },
  })

  test('answers a signed request', async () => {
    expect(await post(signed, '{}')).toEqual({ status: 200, body: { TableNames: [] } })
  })

  test.each<[string, OutgoingHttpHeaders, string, string]>([
    ['without a signature', { ...signed, authorization: '' }, '{}', 'MissingAuthentication.*'],
    ['to another host name', { ...signed, host: 'evil.example' }, '{}', 'UnknownOperation.*'],
    ['for another service', { ...signed, 'x-amz-target': 'SQS.List' }, '{}', 'UnknownOperation.*'],
    ['without an operation', { authorization: signed.authorization }, '{}', 'UnknownOperation.*'],
    ['that is not JSON', signed, '{', 'SerializationException'],
    ['that is not an object', signed, '1', 'SerializationException'],
    ['with wrong types', signed, '{"Limit":"many"}', 'SerializationException'],
  ])('rejects a request %s', async (_, headers, body, name) => {
    expect(await post(headers, body)).toMatchObject(error(name))
  })

  test('rejects other methods', async () => {
    expect(await post(signed, '{}', 'PUT')).toMatchObject(error('UnknownOperationException'))
  })

  test('finishes responses when it closes, and waits for no idle client', async () => {
    const other = await startDatabase({ dir: ':memory:' })
    const begin = async () => {
      const headers = { ...signed, 'content-length': 2 }
      const outgoing = request(other.endpoint, { method: 'POST', headers, agent: false })
      outgoing.write('{')
      await once(outgoing, 'socket')
      return outgoing
    }
    const finished = await begin()
    const hanging = await begin()
    const broken = once(hanging, 'error')
    // A response to a later request proves that the server has received the two before.
    await fetch(other.endpoint, { method: 'POST', headers: signed, body: '{}' })
    const closed = other.close()
    finished.end('}')
    const [answer] = (await once(finished, 'response')) as [IncomingMessage]
    expect(JSON.parse(await text(answer))).toEqual({ TableNames: [] })
    await closed
    await broken
    await expect(fetch(other.endpoint)).rejects.toThrow('fetch failed')
  })

  test('fails to start on a port that is in use', async () => {
    await expect(startDatabase({ dir: ':memory:', port: database.port })).rejects.toThrow(
      'EADDRINUSE',
    )
  })
})
