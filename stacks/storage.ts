import { table as spec } from '../shared/manifest/index.ts'

const strings = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, 'string' as const]))

/** The one table: paid per request, restorable to any second of 35 days, and in production not deletable by mistake. */
export const table = new sst.aws.Dynamo('Table', {
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

/** The ARNs of the table's indexes, one by one. */
export const indexArns = spec.indexes.map((index) => $interpolate`${table.arn}/index/${index.name}`)
