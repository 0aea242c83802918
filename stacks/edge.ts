import { createHmac } from 'node:crypto'
import {
  edgeAddressText,
  edgeHeaders,
  pathPatterns,
  type Surface,
  surfaces,
} from '#shared/manifest/index.ts'
import { apis, groupsOf } from './apis.ts'
import { consoleBehaviours, consoleOrigin } from './console.ts'
import { domains } from './domains.ts'
import { named, namedGlobally, pascal } from './names.ts'
import { servicesOf, workerHost, workers } from './placement.ts'
import { secretOf } from './secrets.ts'
import { type ServiceOrigin, serviceOrigins } from './service-origins.ts'
import { hostOf, streams, streamStage } from './streams.ts'

/** CloudFront's managed policies, the same in every account: cache nothing, forward everything except Host. */
const cachingDisabled = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad'
const allViewerExceptHost = 'b689b0a8-53d0-40ab-baf2-68738e2966ac'

/** Statuses that CloudFront would otherwise cache for ten seconds and return to other users. */
const neverRemembered = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504]

/** CloudFront's maximum without a raised quota: the time between two parts of a response, not for all of it. */
const originSilenceSeconds = 60

/**
 * Sets the client's address on each request of an API, over what the client sent. CloudFront's own header
 * CloudFront-Viewer-Address is not a viewer header, so it does not certainly pass the policy `allViewerExceptHost`; a header
 * that a function adds to the viewer's request does.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-event-structure.html
 */
const viewerAddress = new aws.cloudfront.Function('ViewerAddress', {
  name: namedGlobally('viewer-address'),
  runtime: 'cloudfront-js-2.0',
  publish: true,
  code: $util.secret(
    secretOf('ORIGIN_SECRET').value.apply((secret) => {
      const proof = createHmac('sha256', secret).update(edgeAddressText).digest('base64url')
      return `function handler(event) {
  event.request.headers['${edgeHeaders.viewerAddress}'] = { value: event.viewer.ip }
  event.request.headers['${edgeHeaders.viewerAddressProof}'] = { value: '${proof}' }
  return event.request
}`
    }),
  ),
})

/**
 * One address for a surface with a domain of its own, or with several APIs or workers. The origins of its streaming groups are a REST API, not function
 * URLs with origin access control: to sign a POST, CloudFront would need the hash of its body from the client or from a
 * Lambda@Edge function, and signing overwrites the Authorization header, which carries our keys. REST APIs also have
 * throttling, access logs and 5xx metrics, which function URLs lack.
 *
 * Behind the edge, the address of a connection is the edge's own. `viewerAddress` sends the client's address in a header.
 * The APIs can also be called directly, so functions trust that header only together with `x-origin-secret`, which a client
 * can neither know nor set, because the edge overwrites it, and with the proof that `viewerAddress` adds: an edge
 * location that does not run it yet forwards both headers as the client sent them.
 */
export const edges: Partial<Record<Surface, aws.cloudfront.Distribution>> = Object.fromEntries(
  surfaces
    .filter(
      (surface) =>
        domains[surface] !== undefined ||
        streams[surface] !== undefined ||
        serviceOrigins[surface] !== undefined ||
        workersOf(surface).length > 0,
    )
    .map((surface) => [surface, edge(surface)]),
)

function workersOf(surface: Surface): { name: string; prefixes: readonly string[] }[] {
  return workers.flatMap(({ name, trigger }) =>
    trigger.kind === 'http' && trigger.surface === surface
      ? [{ name, prefixes: trigger.prefixes }]
      : [],
  )
}

function edge(surface: Surface): aws.cloudfront.Distribution {
  const stream = streams[surface]
  const streamed = groupsOf(surface, true).flatMap(({ trigger }) => trigger.prefixes)
  const atTheEdge = workersOf(surface)
  const services = serviceOrigins[surface]
  const domain = domains[surface]
  const served = servicesOf(surface).flatMap(({ trigger }) => trigger.prefixes)
  return new aws.cloudfront.Distribution(`${pascal(surface)}Edge`, {
    comment: named(surface),
    ...(domain !== undefined && { aliases: [domain.host] }),
    enabled: true,
    isIpv6Enabled: true,
    httpVersion: 'http2and3',
    origins: [
      origin(
        'buffered',
        apis[surface].nodes.api.apiEndpoint.apply((url) => new URL(url).host),
      ),
      ...(stream === undefined ? [] : [origin('streamed', hostOf(stream), `/${streamStage}`)]),
      ...(services === undefined ? [] : [serviceOrigin(services)]),
      ...atTheEdge.map(({ name }) => origin(name, workerHost(name))),
      ...(surface === 'web' ? [consoleOrigin] : []),
    ],
    defaultCacheBehavior: behaviour('buffered'),
    orderedCacheBehaviors: [
      ...(surface === 'web' ? consoleBehaviours : []),
      ...atTheEdge.flatMap(({ name, prefixes }) => behavioursOf(prefixes, name)),
      ...behavioursOf(streamed, 'streamed'),
      ...behavioursOf(served, 'services'),
    ],
    customErrorResponses: neverRemembered.map((errorCode) => ({
      errorCode,
      errorCachingMinTtl: 0,
    })),
    restrictions: { geoRestriction: { restrictionType: 'none' } },
    viewerCertificate:
      domain === undefined
        ? { cloudfrontDefaultCertificate: true }
        : {
            acmCertificateArn: domain.certificateArn,
            sslSupportMethod: 'sni-only',
            minimumProtocolVersion: 'TLSv1.2_2021',
          },
    waitForDeployment: false,
  })
}

/** The header that proves a request came through the edge. */
function proof() {
  return [{ name: edgeHeaders.proof, value: secretOf('ORIGIN_SECRET').value }]
}

/** An origin inside the network. That traffic stays within AWS and needs no certificate. */
function serviceOrigin({ balancer, door }: ServiceOrigin) {
  return {
    originId: 'services',
    domainName: balancer.dnsName,
    originPath: '',
    customHeaders: proof(),
    vpcOriginConfig: {
      vpcOriginId: door.id,
      originReadTimeout: originSilenceSeconds,
      // Shorter than services keep a connection alive.
      originKeepaliveTimeout: 60,
    },
  }
}

function origin(originId: string, domainName: $util.Input<string>, originPath = '') {
  return {
    originId,
    domainName,
    originPath,
    customHeaders: proof(),
    customOriginConfig: {
      httpPort: 80,
      httpsPort: 443,
      originProtocolPolicy: 'https-only',
      originSslProtocols: ['TLSv1.2'],
      originReadTimeout: originSilenceSeconds,
      originKeepaliveTimeout: 5,
    },
  }
}

function behavioursOf(prefixes: readonly string[], targetOriginId: string) {
  return pathPatterns(prefixes).map((pathPattern) =>
    Object.assign({ pathPattern }, behaviour(targetOriginId)),
  )
}

function behaviour(targetOriginId: string) {
  return {
    targetOriginId,
    viewerProtocolPolicy: 'https-only',
    allowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'POST', 'PATCH', 'DELETE'],
    cachedMethods: ['GET', 'HEAD'],
    cachePolicyId: cachingDisabled,
    originRequestPolicyId: allViewerExceptHost,
    // Compression would hold back an event stream until a block is full.
    compress: false,
    functionAssociations: [{ eventType: 'viewer-request', functionArn: viewerAddress.arn }],
  }
}
