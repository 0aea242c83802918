import { describe, expect, test } from 'vitest'
import {
  consoleAssets,
  consoleCaching,
  consoleHeaders,
  consolePaths,
} from '#shared/manifest/console.ts'
import { throwaway } from './harness/combined.ts'
import { declare, declared } from './harness/declare.ts'
import type { Inputs } from './harness/mocks.ts'
import { statementsOf } from './harness/policies.ts'

const stack = declared()

const edge = stack.one('aws:cloudfront/distribution:Distribution', 'WebEdge')
const behaviours = (edge.orderedCacheBehaviors as Inputs[]).filter(
  ({ targetOriginId }) => targetOriginId === 'console',
)

describe('the console behind the web surface’s one address', () => {
  test('has exactly its own paths', () => {
    expect(behaviours.map(({ pathPattern }) => pathPattern)).toEqual([
      consoleAssets,
      ...consolePaths,
    ])
  })

  test('is compressed, cached at the edge and returned with its headers', () => {
    for (const behaviour of behaviours)
      expect(behaviour).toMatchObject({
        viewerProtocolPolicy: 'https-only',
        cachePolicyId: '658327ea-f89d-4fab-a63d-7e88639e58f6',
        responseHeadersPolicyId: 'ConsoleHeaders-id',
        compress: true,
      })
    expect(
      stack.one('aws:cloudfront/responseHeadersPolicy:ResponseHeadersPolicy', 'ConsoleHeaders'),
    ).toMatchObject({
      securityHeadersConfig: {
        contentSecurityPolicy: {
          contentSecurityPolicy: consoleHeaders['content-security-policy'].replace(
            "connect-src 'self'",
            "connect-src 'self' https://ObjectsBucket.s3.eu-west-1.amazonaws.com",
          ),
          override: true,
        },
        contentTypeOptions: { override: true },
        referrerPolicy: { referrerPolicy: 'same-origin', override: true },
        strictTransportSecurity: { override: true },
      },
      customHeadersConfig: {
        items: [{ header: 'cross-origin-opener-policy', value: 'same-origin', override: true }],
      },
    })
  })

  test('never sends the APIs’ secret to the bucket', () => {
    const origin = (edge.origins as Inputs[]).find(({ originId }) => originId === 'console')
    expect(origin).toMatchObject({ originAccessControlId: 'ConsoleAccess-id' })
    expect(origin).not.toHaveProperty('customHeaders')
  })
})

describe('the function in front of it', () => {
  const run = (name: string, event: unknown): unknown => {
    const { code } = stack.one('aws:cloudfront/function:Function', name)
    return new Function('event', `${String(code)}; return handler(event)`)(event)
  }
  const context = { requestId: 'id-of-the-edge' }
  const ask = (method: string, uri: string) =>
    run('ConsolePage', { context, request: { method, uri, headers: {} } })

  test('returns the one page for every page, and does not rewrite assets', () => {
    expect(ask('GET', '/agents/agt_1/chat')).toMatchObject({ uri: '/index.html' })
    expect(ask('HEAD', '/')).toMatchObject({ uri: '/index.html' })
    expect(ask('GET', '/assets/console-A.js')).toMatchObject({ uri: '/assets/console-A.js' })
  })

  test('rejects requests that change data, as the APIs do', () => {
    expect(ask('POST', '/login')).toMatchObject({
      statusCode: 405,
      headers: { allow: { value: 'GET, HEAD' }, 'x-request-id': { value: 'id-of-the-edge' } },
      body: '{"error":"Method not allowed"}',
    })
  })

  test('gives every answer a request id', () => {
    expect(run('ConsoleRequestId', { context, response: { headers: {} } })).toEqual({
      headers: { 'x-request-id': { value: 'id-of-the-edge' } },
    })
  })
})

describe('its bucket', () => {
  test('is read only by that one distribution, by TLS', () => {
    const { policy } = stack.one('aws:s3/bucketPolicy:BucketPolicy', 'ConsolePolicy')
    expect(statementsOf(policy)).toMatchObject([
      {
        Effect: 'Allow',
        Principal: { Service: ['cloudfront.amazonaws.com'] },
        Action: ['s3:GetObject', 's3:ListBucket'],
        Condition: { StringEquals: { 'AWS:SourceArn': [expect.stringContaining('WebEdge')] } },
      },
      { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': ['false'] } } },
    ])
  })

  test('gets the page after its assets, which stay for open pages', () => {
    const files = stack.registrations.filter(
      ({ name, type }) =>
        type === 'aws:s3/bucketObjectv2:BucketObjectv2' && name.startsWith('Console/'),
    )
    expect(files.at(-1)?.inputs).toMatchObject({
      key: 'index.html',
      contentType: 'text/html; charset=utf-8',
      cacheControl: consoleCaching.page,
    })
    const assets = files.slice(0, -1)
    expect(assets.length).toBeGreaterThan(2)
    for (const { inputs, retained } of assets) {
      expect(inputs.key).toMatch(/^assets\/[\w-]+-[A-Z0-9]{8}\.(?:css|js|svg)$/)
      expect(inputs.cacheControl).toBe(consoleCaching.asset)
      expect(retained).toBe(true)
    }
  })

  test('deletes an asset 30 days after the deployment that no longer has it, and no other', () => {
    const { rules } = stack.one(
      'aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration',
      'ConsoleLifecycle',
    )
    expect(rules).toEqual([
      {
        id: 'retired-assets',
        status: 'Enabled',
        filter: { tag: { key: 'retired', value: 'true' } },
        expiration: { days: 30 },
      },
    ])
  })

  test('is deleted with a throwaway stage only', async () => {
    const dev = await declare('dev-ada', throwaway)
    expect(stack.one('aws:s3/bucket:Bucket', 'ConsoleBucket').forceDestroy).toBe(false)
    expect(dev.one('aws:s3/bucket:Bucket', 'ConsoleBucket').forceDestroy).toBe(true)
  })
})
