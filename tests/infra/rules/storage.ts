import type { Inputs } from '../harness/mocks.ts'
import { each, many, property, quota, resource, unique } from './rule.ts'
import type { Resource, Rule } from './rule.ts'

const dynamodb = 'https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/'
const dynamodbLimits =
  'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html'
const s3 = 'https://docs.aws.amazon.com/AmazonS3/latest/userguide/'
const tagging = 'https://docs.aws.amazon.com/tag-editor/latest/userguide/tagging.html'

const table = 'aws:dynamodb/table:Table'
const bucket = 'aws:s3/bucket:Bucket'
const file = 'aws:s3/bucketObjectv2:BucketObjectv2'
const lifecycle = 'aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration'

/** Returns the attributes that a table's keys and indexes use. */
function keysOf({ hashKey, rangeKey, globalSecondaryIndexes, localSecondaryIndexes }: Inputs) {
  const indexes = [globalSecondaryIndexes, localSecondaryIndexes].flatMap(
    (some) => (some ?? []) as Inputs[],
  )
  const keys = indexes.flatMap((index) => [index.hashKey, index.rangeKey])
  return new Set([hashKey, rangeKey, ...keys].filter((key) => key !== undefined))
}

const attributes = (...names: string[]) => names.map((name) => ({ name, type: 'S' }))

/** Types that take tags, as far as a stage declares them. */
const tagged = ['aws:ec2/vpc:Vpc', 'aws:ec2/subnet:Subnet', 'aws:efs/fileSystem:FileSystem']

const tagBreach = ({ inputs }: Resource) => {
  const tags = Object.entries((inputs.tags ?? {}) as Record<string, string>)
  const wrong = tags.filter(
    ([key, value]) =>
      !/^(?!aws:)[\p{L}\p{Z}\p{N}_.:/=+\-@]{1,128}$/u.test(key) ||
      !/^[\p{L}\p{Z}\p{N}_.:/=+\-@]{0,256}$/u.test(value),
  )
  if (tags.length > 50) return `has ${tags.length} tags`
  return wrong.length > 0 ? `has the tags ${JSON.stringify(wrong)}` : undefined
}

export const storageRules: Rule[] = [
  property({
    type: table,
    property: 'name',
    allows: /^[a-zA-Z0-9_.-]{3,255}$/,
    refuses: ['ab', 'x'.repeat(256), 'the table'],
    source: `${dynamodb}API_CreateTable.html`,
  }),
  unique({ type: table, property: 'name', source: `${dynamodb}API_CreateTable.html` }),
  each(table, {
    rule: 'a table declares exactly the attributes of its keys',
    source: `${dynamodb}API_CreateTable.html`,
    breach({ inputs }) {
      const declared = ((inputs.attributes ?? []) as { name: string }[]).map(({ name }) => name)
      const keys = [...keysOf(inputs)]
      const differing = [
        ...declared.filter((name) => !keys.includes(name)),
        ...keys.filter((name) => !declared.includes(String(name))),
      ]
      return differing.length > 0 ? `differs in ${differing.join(', ')}` : undefined
    },
    refuses: [
      [resource(table, { hashKey: 'pk', attributes: attributes('pk', 'sk') })],
      [resource(table, { hashKey: 'pk', rangeKey: 'sk', attributes: attributes('pk') })],
    ],
  }),
  property({
    type: table,
    property: 'globalSecondaryIndexes',
    rule: 'has at most 20',
    allows(value) {
      return (value as unknown[]).length <= 20
    },
    refuses: [many(21, {})],
    source: dynamodbLimits,
  }),
  quota({ rule: 'tables', type: table, most: 2500, others: 100, source: dynamodbLimits }),
  property({
    type: bucket,
    property: 'bucket',
    allows: /^(?!xn--|sthree-)(?=.{3,63}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])$/,
    refuses: ['x'.repeat(64), 'Objects', 'ab', 'objects-', 'xn--objects', 'the_objects'],
    source: `${s3}bucketnamingrules.html`,
  }),
  unique({ type: bucket, property: 'bucket', source: `${s3}bucketnamingrules.html` }),
  // All accounts share the names of buckets.
  property({
    type: bucket,
    property: 'bucket',
    rule: 'ends with random letters',
    allows: /-[a-z]{8}$/,
    refuses: ['agent-platform-production-objects'],
    source: `${s3}bucketnamingrules.html`,
  }),
  quota({
    rule: 'buckets',
    type: bucket,
    most: 10_000,
    others: 100,
    source: `${s3}BucketRestrictions.html`,
  }),
  property({
    type: file,
    property: 'key',
    rule: 'has at most 1,024 bytes',
    allows: (value) => Buffer.byteLength(String(value)) <= 1024,
    refuses: ['x'.repeat(1025)],
    source: `${s3}object-keys.html`,
  }),
  each(lifecycle, {
    rule: 'the rules of a bucket’s lifecycle have ids of their own',
    source: 'https://docs.aws.amazon.com/AmazonS3/latest/API/API_LifecycleRule.html',
    breach({ inputs }) {
      const ids = ((inputs.rules ?? []) as { id: string }[]).map(({ id }) => id)
      return new Set(ids).size < ids.length || ids.some((id) => id.length > 255)
        ? `has ${ids.join(', ')}`
        : undefined
    },
    refuses: [[resource(lifecycle, { rules: [{ id: 'one' }, { id: 'one' }] })]],
  }),
  ...tagged.map((type) =>
    each(type, {
      rule: `tags of ${type.split(':').at(-1)} have allowed characters and lengths`,
      source: tagging,
      breach: tagBreach,
      refuses: [
        [resource(type, { tags: { Name: 'the agents’ network' } })],
        [resource(type, { tags: { 'aws:Name': 'network' } })],
        [resource(type, { tags: { Name: 'x'.repeat(257) } })],
      ],
    }),
  ),
]
