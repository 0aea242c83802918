import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  consoleAssets,
  consoleCaching,
  consoleContentType,
  consoleHeaders,
  consolePaths,
  consolePolicy,
} from '#shared/manifest/console.ts'
import { namedGlobally } from './names.ts'
import { isThrowaway } from './stage.ts'
import { uploadOrigin } from './storage.ts'

/** CloudFront's managed policy: compresses, caches by path only, and obeys cache-control. */
const cachingOptimized = '658327ea-f89d-4fab-a63d-7e88639e58f6'

/** The build's folder of the console. */
const folder = 'dist/console'

/** The paths of the console's files. @throws Error if the console was not built */
export const consoleFiles: string[] = filesOf(join(process.cwd(), folder, 'files.json'))

/** The bucket of the console's files. Only the distribution of the web surface reads it. */
export const consoleBucket = new aws.s3.Bucket('ConsoleBucket', {
  forceDestroy: isThrowaway($app.stage),
})

/** The name of the console's origin. */
export const consoleOriginId = 'console'

const control = new aws.cloudfront.OriginAccessControl('ConsoleAccess', {
  name: namedGlobally('console'),
  originAccessControlOriginType: 's3',
  signingBehavior: 'always',
  signingProtocol: 'sigv4',
})

const headers = new aws.cloudfront.ResponseHeadersPolicy('ConsoleHeaders', {
  name: namedGlobally('console'),
  securityHeadersConfig: {
    contentSecurityPolicy: {
      contentSecurityPolicy: uploadOrigin.apply(consolePolicy),
      override: true,
    },
    contentTypeOptions: { override: true },
    referrerPolicy: { referrerPolicy: consoleHeaders['referrer-policy'], override: true },
    strictTransportSecurity: { accessControlMaxAgeSec: 31_536_000, override: true },
  },
  customHeadersConfig: {
    items: [
      {
        header: 'cross-origin-opener-policy',
        value: consoleHeaders['cross-origin-opener-policy'],
        override: true,
      },
    ],
  },
})

/** Every page is the same file. Pages are read-only. */
const page = new aws.cloudfront.Function('ConsolePage', {
  name: namedGlobally('console-page'),
  runtime: 'cloudfront-js-2.0',
  publish: true,
  code: `function handler(event) {
  if (event.request.method !== 'GET' && event.request.method !== 'HEAD')
    return {
      statusCode: 405,
      statusDescription: 'Method Not Allowed',
      headers: {
        allow: { value: 'GET, HEAD' },
        'content-type': { value: 'application/json' },
        'x-request-id': { value: event.context.requestId },
      },
      body: '{"error":"Method not allowed"}',
    }
  if (event.request.uri.indexOf('/assets/') !== 0) event.request.uri = '/index.html'
  return event.request
}`,
})

const requestId = new aws.cloudfront.Function('ConsoleRequestId', {
  name: namedGlobally('console-request-id'),
  runtime: 'cloudfront-js-2.0',
  publish: true,
  code: `function handler(event) {
  event.response.headers['x-request-id'] = { value: event.context.requestId }
  return event.response
}`,
})

/** The bucket as an origin of the distribution. */
export const consoleOrigin = {
  originId: consoleOriginId,
  domainName: consoleBucket.bucketRegionalDomainName,
  originAccessControlId: control.id,
}

/** The cache behaviours of the console's paths. All other paths go to the APIs. */
export const consoleBehaviours = [consoleAssets, ...consolePaths].map((pathPattern) => ({
  pathPattern,
  targetOriginId: consoleOriginId,
  viewerProtocolPolicy: 'https-only',
  // The function in front rejects the methods that change something.
  allowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'POST', 'PATCH', 'DELETE'],
  cachedMethods: ['GET', 'HEAD'],
  cachePolicyId: cachingOptimized,
  responseHeadersPolicyId: headers.id,
  compress: true,
  functionAssociations: [
    { eventType: 'viewer-request', functionArn: page.arn },
    { eventType: 'viewer-response', functionArn: requestId.arn },
  ],
}))

/** Returns the local path of a console file and its response headers. */
export function describeFile(path: string) {
  return {
    file: join(process.cwd(), folder, path),
    contentType: consoleContentType(path),
    cacheControl: path.startsWith('assets/') ? consoleCaching.asset : consoleCaching.page,
  }
}

function filesOf(list: string): string[] {
  try {
    const { files } = JSON.parse(readFileSync(list, 'utf8')) as { files: { path: string }[] }
    return files.map(({ path }) => path)
  } catch (cause) {
    throw new Error(`${list} cannot be read: run \`npm run build\` first`, { cause })
  }
}
