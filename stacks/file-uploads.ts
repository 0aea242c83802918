import { urls } from './addresses.ts'
import { queues } from './queues.ts'
import { objects } from './storage.ts'

const queue = queues['file-uploads'].live

const policy = new aws.sqs.QueuePolicy('FileUploadsPolicy', {
  queueUrl: queue.url,
  policy: aws.iam.getPolicyDocumentOutput({
    statements: [
      {
        actions: ['sqs:SendMessage'],
        resources: [queue.arn],
        principals: [{ type: 'Service', identifiers: ['s3.amazonaws.com'] }],
        conditions: [
          { test: 'ArnEquals', variable: 'aws:SourceArn', values: [objects.arn] },
          // Another account could own a bucket of this name after its deletion.
          {
            test: 'StringEquals',
            variable: 'aws:SourceAccount',
            values: [aws.getCallerIdentityOutput().accountId],
          },
        ],
      },
    ],
  }).json,
})

/** Sends a message for each file that was uploaded by a link. Other packs have no `.upload`. */
new aws.s3.BucketNotification(
  'FileUploads',
  {
    bucket: objects.name,
    queues: [
      {
        queueArn: queue.arn,
        events: ['s3:ObjectCreated:Put'],
        filterPrefix: 'files/',
        filterSuffix: '.upload',
      },
    ],
  },
  { dependsOn: policy },
)

/** Lets the console's pages upload files by links. A link contains its permission, and no request has credentials. */
new aws.s3.BucketCorsConfiguration('FileUploadsCors', {
  bucket: objects.name,
  corsRules: [
    {
      allowedOrigins: [urls.web],
      allowedMethods: ['PUT'],
      allowedHeaders: ['content-type', 'if-none-match'],
      maxAgeSeconds: 3600,
    },
  ],
})
