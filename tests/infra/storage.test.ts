import { beforeAll, describe, expect, test } from 'vitest'
import { reduced, throwaway } from './harness/combined.ts'
import { declare } from './harness/declare.ts'
import type { Declared } from './harness/declare.ts'
import { allowing, statementsOf } from './harness/policies.ts'

let dev: Declared
let production: Declared

beforeAll(async () => {
  ;[dev, production] = await Promise.all([declare('dev-ada', throwaway), declare('production')])
})

const table = (declared: Declared) => declared.one('aws:dynamodb/table:Table', 'TableTable')

describe('the table', () => {
  test('is the only one, with the keys and the index of the manifest', () => {
    expect(dev.all('aws:dynamodb/table:Table').size).toBe(1)
    expect(table(dev)).toMatchObject({
      hashKey: 'pk',
      rangeKey: 'sk',
      globalSecondaryIndexes: [
        { name: 'gsi1', hashKey: 'gsi1pk', rangeKey: 'gsi1sk', projectionType: 'ALL' },
      ],
    })
  })

  test('is paid per request, restorable, and expires items by expiresAt', () => {
    expect(table(dev)).toMatchObject({
      billingMode: 'PAY_PER_REQUEST',
      pointInTimeRecovery: { enabled: true },
      ttl: { attributeName: 'expiresAt', enabled: true },
    })
  })

  test('is the restored one, for every function, and stays beside the first', async () => {
    const restored = await declare('production', reduced)
    expect(table(restored)).toMatchObject({ hashKey: 'pk', rangeKey: 'sk' })
    const named = [...restored.all('aws:lambda/function:Function').values()]
      .map(({ environment }) => environment as { variables?: Record<string, string> } | undefined)
      .flatMap((environment) => environment?.variables?.TABLE_NAME ?? [])
    expect(new Set(named)).toEqual(new Set(['platform-restored']))
    expect(allowing(restored, 'BackendAiRole', 'dynamodb:GetItem')).toMatchObject([
      {
        Resource: [
          expect.stringMatching(/:table\/platform-restored$/),
          expect.stringMatching(/:table\/platform-restored\/index\/gsi1$/),
        ],
      },
    ])
  })

  test('has deletion protection, except in throwaway stages', () => {
    expect(table(production).deletionProtectionEnabled).toBe(true)
    expect(table(dev).deletionProtectionEnabled).not.toBe(true)
  })
})

describe('the bucket', () => {
  const name = 'ObjectsBucket'

  test('has no public access, and requires TLS', () => {
    const blocks = production.all('aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock')
    expect(blocks.size).toBe(production.all('aws:s3/bucket:Bucket').size)
    for (const block of blocks.values())
      expect(block).toMatchObject({
        blockPublicAcls: true,
        blockPublicPolicy: true,
        ignorePublicAcls: true,
        restrictPublicBuckets: true,
      })
    const policy = production.one('aws:s3/bucketPolicy:BucketPolicy', 'ObjectsPolicy')
    expect(statementsOf(policy?.policy)).toMatchObject([
      { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': ['false'] } } },
      { Effect: 'Allow', Principal: { Service: ['ses.amazonaws.com'] } },
    ])
  })

  test('accepts uploads by links from the console’s pages, and from no other page', () => {
    const { corsRules } = production.one(
      'aws:s3/bucketCorsConfiguration:BucketCorsConfiguration',
      'FileUploadsCors',
    )
    const { web } = production.outputs
    expect(corsRules).toEqual([
      {
        allowedOrigins: [web],
        allowedMethods: ['PUT'],
        allowedHeaders: ['content-type', 'if-none-match'],
        maxAgeSeconds: 3600,
      },
    ])
  })

  test('deletes videos after thirty days, mails, archives and unfinished parts after one', () => {
    const lifecycles = production.all(
      'aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration',
    )
    const lifecycle = [...lifecycles.values()].find(({ rules }) =>
      (rules as { id: string }[]).some(({ id }) => id === 'videos'),
    )
    expect(lifecycle?.rules).toEqual([
      {
        id: 'videos',
        status: 'Enabled',
        filter: { prefix: 'videos/' },
        expiration: { days: 30 },
      },
      { id: 'mails', status: 'Enabled', filter: { prefix: 'mails/' }, expiration: { days: 1 } },
      ...['exports', 'imports'].map((id) => ({
        id,
        status: 'Enabled',
        filter: { prefix: `files/${id}/` },
        expiration: { days: 1 },
      })),
      {
        id: 'parts',
        status: 'Enabled',
        filter: { prefix: '' },
        abortIncompleteMultipartUpload: { daysAfterInitiation: 1 },
      },
    ])
  })

  test('is deleted with a throwaway stage only', () => {
    expect(production.one('aws:s3/bucket:Bucket', name).forceDestroy).toBe(false)
    expect(dev.one('aws:s3/bucket:Bucket', name).forceDestroy).toBe(true)
  })
})

test('a stage is protected and keeps its data, except a throwaway one', () => {
  expect(production.app).toMatchObject({ protect: true, removal: 'retain' })
  expect(dev.app).toMatchObject({ protect: false, removal: 'remove' })
})

test('a stage called local is rejected: functions would use the settings of one machine', async () => {
  await expect(declare('local')).rejects.toThrow('cannot be called local')
})

test('without an agent image, no resource is declared', async () => {
  await expect(declare('production', { AGENT_IMAGE: '' })).rejects.toThrow('AGENT_IMAGE is not set')
})
