import { table as spec } from '#shared/manifest/index.ts'
import { inboundDomain } from './mail.ts'
import { named } from './names.ts'
import { isThrowaway } from './stage.ts'

const strings = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, 'string' as const]))

/** The one table: on-demand billing, point-in-time recovery for 35 days, and deletion protection in stages that are kept. */
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
  deletionProtection: !isThrowaway($app.stage),
  transform: {
    table: { billingMode: 'PAY_PER_REQUEST', pointInTimeRecovery: { enabled: true } },
  },
})

/** A restore creates a table with another name beside the original: docs/operate/backups.md. */
const restored = process.env.RESTORED_TABLE || undefined

/** The table that functions use. */
export const table =
  restored === undefined
    ? { name: own.name, arn: own.arn }
    : { name: restored, arn: own.arn.apply((arn) => arn.replace(/[^/]+$/, restored)) }

/** The ARNs of the table's indexes. */
export const indexArns = spec.indexes.map((index) => $interpolate`${table.arn}/index/${index.name}`)

/** The receipt rule set of SES that contains the stage's rule, and the name of the rule. */
export const mailRuleSet = process.env.EMAIL_IN_RULE_SET || named('mails')
export const mailRule = named('mails')

/** The folder of the bucket for received mails. */
export const receivedMails = 'mails/in/'

/** Allows SES to store the mails of the stage's rule. */
function storingMails() {
  const { accountId } = aws.getCallerIdentityOutput()
  const { region } = aws.getRegionOutput()
  const rule = `receipt-rule-set/${mailRuleSet}:receipt-rule/${mailRule}`
  const arn = $interpolate`arn:${aws.getPartitionOutput().partition}:ses:${region}:${accountId}:${rule}`
  return {
    actions: ['s3:PutObject'],
    paths: [`${receivedMails}*`],
    principals: [{ type: 'service' as const, identifiers: ['ses.amazonaws.com'] }],
    conditions: [
      { test: 'StringEquals', variable: 'aws:SourceAccount', values: [accountId] },
      { test: 'ArnEquals', variable: 'aws:SourceArn', values: [arn] },
    ],
  }
}

/**
 * The bucket for data that is too large for a row. Mails to agents are below `mails/`; a lifecycle rule removes them. Copies of videos are below `videos/` and can be recreated. Restore
 * points of agents are below `snapshots/`; a schedule removes them when they expire. The files of agents are below
 * `files/`; a job removes unused packs.
 */
export const objects = new sst.aws.Bucket('Objects', {
  cors: false,
  policy: inboundDomain === undefined ? [] : [storingMails()],
  transform: { bucket: { forceDestroy: isThrowaway($app.stage) } },
})

/** The origin of links to the bucket, as the SDK signs them. */
export const uploadOrigin = $interpolate`https://${objects.name}.s3.${aws.getRegionOutput().region}.amazonaws.com`

// Rows of videos have the same lifetime (shared/tools/videos/rows.ts), so no link points to a removed video.
new aws.s3.BucketLifecycleConfiguration('ObjectsLifecycle', {
  bucket: objects.name,
  rules: [
    {
      id: 'videos',
      status: 'Enabled',
      filter: { prefix: 'videos/' },
      expiration: { days: 30 },
    },
    // A mail is read within minutes. Its sender keeps it.
    { id: 'mails', status: 'Enabled', filter: { prefix: 'mails/' }, expiration: { days: 1 } },
    // The schedule removes archives earlier; only one that was uploaded after its account was deleted stays so long.
    ...['exports', 'imports'].map((folder) => ({
      id: folder,
      status: 'Enabled',
      filter: { prefix: `files/${folder}/` },
      expiration: { days: 1 },
    })),
    {
      // Parts of an upload whose function died. They are not an object, but cost money.
      id: 'parts',
      status: 'Enabled',
      filter: { prefix: '' },
      abortIncompleteMultipartUpload: { daysAfterInitiation: 1 },
    },
  ],
})
