import { table as spec } from '../shared/manifest/index.ts'

const strings = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, 'string' as const]))

/** The one table: paid per request, restorable to any second of 35 days, and in production not deletable by mistake. */
const own = new sst.aws.Dynamo('Table', {
  fields: strings([
    spec.partitionKey,
    spec.sortKey,
    ...spec.indexes.flatMap((index) => [index.partitionKey, index.sortKey]),
  ]),
  primaryIndex: { hashKey: spec.partitionKey, rangeKey: spec.sortKey },
  globalIndexes: Object.fromEntries(
    spec.indexes.map((index) => [
      index.name,
      { hashKey: index.partitionKey, rangeKey: index.sortKey },
    ]),
  ),
  ttl: spec.timeToLive,
  deletionProtection: $app.stage === 'production',
  transform: {
    table: { billingMode: 'PAY_PER_REQUEST', pointInTimeRecovery: { enabled: true } },
  },
})

/** A restore makes a table of another name, beside the one that it restores: docs/backups.md. */
const restored = process.env.RESTORED_TABLE || undefined

/** The table that functions use. */
export const table =
  restored === undefined
    ? { name: own.name, arn: own.arn }
    : { name: restored, arn: own.arn.apply((arn) => arn.replace(/[^/]+$/, restored)) }

/** The ARNs of the table's indexes, one by one. */
export const indexArns = spec.indexes.map((index) => $interpolate`${table.arn}/index/${index.name}`)

/**
 * What is too large for a row: the platform's copies of videos, below `videos/`, which can be made again, and restore
 * points of agents, below `snapshots/`, which a schedule removes when their time is over.
 */
export const objects = new sst.aws.Bucket('Objects', {
  cors: false,
  transform: { bucket: { forceDestroy: $app.stage !== 'production' } },
})

// Rows of videos are kept as long (shared/videos/rows.ts), so that no link leads to what is gone.
new aws.s3.BucketLifecycleConfiguration('ObjectsLifecycle', {
  bucket: objects.name,
  rules: [
    {
      id: 'videos',
      status: 'Enabled',
      filter: { prefix: 'videos/' },
      expiration: { days: 30 },
    },
    {
      // Left by a function that died in the middle: no object, and paid for all the same.
      id: 'parts',
      status: 'Enabled',
      filter: { prefix: '' },
      abortIncompleteMultipartUpload: { daysAfterInitiation: 1 },
    },
  ],
})
