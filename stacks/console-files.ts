import { retiredAssets } from '#shared/manifest/console.ts'
import { consoleBucket, consoleFiles, describeFile } from './console.ts'
import { edges } from './edge.ts'

const web = edges.web
if (web === undefined) throw new Error('the console needs the edge of the web surface')

const closed = new aws.s3.BucketPublicAccessBlock('ConsolePublicAccessBlock', {
  bucket: consoleBucket.bucket,
  blockPublicAcls: true,
  blockPublicPolicy: true,
  ignorePublicAcls: true,
  restrictPublicBuckets: true,
})

new aws.s3.BucketPolicy(
  'ConsolePolicy',
  {
    bucket: consoleBucket.bucket,
    policy: aws.iam.getPolicyDocumentOutput({
      statements: [
        {
          // With the permission to list, S3 answers 404 for a missing file; without it 403.
          principals: [{ type: 'Service', identifiers: ['cloudfront.amazonaws.com'] }],
          actions: ['s3:GetObject', 's3:ListBucket'],
          resources: [consoleBucket.arn, $interpolate`${consoleBucket.arn}/*`],
          conditions: [{ test: 'StringEquals', variable: 'AWS:SourceArn', values: [web.arn] }],
        },
        {
          effect: 'Deny',
          principals: [{ type: '*', identifiers: ['*'] }],
          actions: ['s3:*'],
          resources: [consoleBucket.arn, $interpolate`${consoleBucket.arn}/*`],
          conditions: [{ test: 'Bool', variable: 'aws:SecureTransport', values: ['false'] }],
        },
      ],
    }).json,
  },
  { dependsOn: closed },
)

// `npm run deploy` tags the assets that a deployment no longer has: ops/deploy/retire-assets.ts.
new aws.s3.BucketLifecycleConfiguration('ConsoleLifecycle', {
  bucket: consoleBucket.bucket,
  rules: [
    {
      id: 'retired-assets',
      status: 'Enabled',
      filter: { tag: { key: retiredAssets.tag, value: 'true' } },
      expiration: { days: retiredAssets.days },
    },
  ],
})

const assets = consoleFiles
  .filter((path) => path.startsWith('assets/'))
  .map((path) => upload(path, { retainOnDelete: true }))

// Uploaded after the assets that it loads. Assets of earlier deployments stay for pages that are still open.
upload('index.html', { dependsOn: assets })

function upload(
  path: string,
  options: { retainOnDelete?: boolean; dependsOn?: aws.s3.BucketObjectv2[] },
): aws.s3.BucketObjectv2 {
  const { file, ...answered } = describeFile(path)
  return new aws.s3.BucketObjectv2(
    `Console/${path}`,
    {
      bucket: consoleBucket.bucket,
      key: path,
      source: new $util.asset.FileAsset(file),
      ...answered,
    },
    options,
  )
}
