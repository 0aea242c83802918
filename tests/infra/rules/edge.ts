import type { Inputs } from '../harness/mocks.ts'
import { between, each, many, oneOf, property, quota, resource, unique } from './rule.ts'
import type { Rule } from './rule.ts'

const api = 'https://docs.aws.amazon.com/cloudfront/latest/APIReference/'
const guide = 'https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/'
const limits = `${guide}cloudfront-limits.html`

const distribution = 'aws:cloudfront/distribution:Distribution'
const fn = 'aws:cloudfront/function:Function'
const access = 'aws:cloudfront/originAccessControl:OriginAccessControl'
const policy = 'aws:cloudfront/responseHeadersPolicy:ResponseHeadersPolicy'
const vpcOrigin = 'aws:cloudfront/vpcOrigin:VpcOrigin'

const behavioursOf = ({ defaultCacheBehavior, orderedCacheBehaviors = [] }: Inputs) =>
  [defaultCacheBehavior, ...(orderedCacheBehaviors as Inputs[])].filter(
    (one): one is Inputs => one !== undefined,
  )

const behaviours = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ pathPattern: `/${i}`, targetOriginId: 'one' }))

const withBehaviours = (...orderedCacheBehaviors: Inputs[]) =>
  resource(distribution, { origins: [{ originId: 'one' }], orderedCacheBehaviors })

const called = (eventType: string, functionArn = 'arn:aws:cloudfront::1:function/one') => ({
  eventType,
  functionArn,
})

export const edgeRules: Rule[] = [
  property({
    type: distribution,
    property: 'comment',
    allows: /^[^]{0,128}$/,
    refuses: ['x'.repeat(129)],
    source: `${api}API_DistributionConfig.html`,
  }),
  // A name that another distribution has, in any account: CNAMEAlreadyExists.
  unique({
    type: distribution,
    property: 'aliases[]',
    source: `${guide}alternate-domain-names-restrictions.html`,
  }),
  each(distribution, {
    rule: 'a distribution with aliases has a certificate of us-east-1',
    source: `${guide}cnames-and-https-requirements.html`,
    breach({ inputs }) {
      const { acmCertificateArn } = (inputs.viewerCertificate ?? {}) as Inputs
      const certified = String(acmCertificateArn).startsWith('arn:aws:acm:us-east-1:')
      if (acmCertificateArn !== undefined && !certified) return `has ${String(acmCertificateArn)}`
      return ((inputs.aliases ?? []) as unknown[]).length > 0 && !certified
        ? 'has aliases without a certificate'
        : undefined
    },
    refuses: [
      [
        resource(distribution, {
          aliases: ['app.example.com'],
          viewerCertificate: { cloudfrontDefaultCertificate: true },
        }),
      ],
      [
        resource(distribution, {
          viewerCertificate: { acmCertificateArn: 'arn:aws:acm:eu-west-1:1:certificate/1' },
        }),
      ],
    ],
  }),
  each(distribution, {
    rule: 'a distribution has at most 75 behaviours, each with a path of its own',
    source: limits,
    breach({ inputs }) {
      const all = behavioursOf(inputs)
      const paths = all.map(({ pathPattern }) => pathPattern)
      const twice = paths.filter((path, i) => paths.indexOf(path) !== i)
      if (twice.length > 0) return `has ${twice.join(', ')} twice`
      return all.length > 75 ? `has ${all.length}` : undefined
    },
    refuses: [
      [withBehaviours(...behaviours(76))],
      [withBehaviours(...behaviours(2), ...behaviours(1))],
    ],
  }),
  property({
    type: distribution,
    property: 'orderedCacheBehaviors[].pathPattern',
    allows: /^[A-Za-z0-9_\-.*$/~"'@:+&?]{1,255}$/,
    refuses: ['/a b', '/über', 'x'.repeat(256)],
    source: `${guide}DownloadDistValuesCacheBehavior.html`,
  }),
  each(distribution, {
    rule: 'a behaviour leads to an origin of the distribution',
    source: `${api}API_CacheBehavior.html`,
    breach({ inputs }) {
      const origins = new Set(((inputs.origins ?? []) as Inputs[]).map(({ originId }) => originId))
      const lost = behavioursOf(inputs).filter((one) => !origins.has(one.targetOriginId))
      return lost.length > 0 ? `has ${lost.length} without` : undefined
    },
    refuses: [[withBehaviours({ pathPattern: '/a', targetOriginId: 'two' })]],
  }),
  each(distribution, {
    rule: 'a behaviour has at most one function for each event, and functions of one kind',
    source: `${guide}edge-functions-restrictions.html`,
    breach({ inputs }) {
      const wrong = behavioursOf(inputs).filter((one) => {
        const functions = (one.functionAssociations ?? []) as { eventType: string }[]
        const events = functions.map(({ eventType }) => eventType)
        const lambdas = (one.lambdaFunctionAssociations ?? []) as { eventType: string }[]
        const atViewer = lambdas.some(({ eventType }) => eventType.startsWith('viewer-'))
        return (
          new Set(events).size < events.length ||
          events.some((event) => !['viewer-request', 'viewer-response'].includes(event)) ||
          (events.length > 0 && atViewer)
        )
      })
      return wrong.length > 0 ? `has ${wrong.length} with other functions` : undefined
    },
    refuses: [
      [
        withBehaviours({
          targetOriginId: 'one',
          functionAssociations: [called('viewer-request'), called('viewer-request', 'two')],
        }),
      ],
      [withBehaviours({ targetOriginId: 'one', functionAssociations: [called('origin-request')] })],
      [
        withBehaviours({
          targetOriginId: 'one',
          functionAssociations: [called('viewer-request')],
          lambdaFunctionAssociations: [called('viewer-response')],
        }),
      ],
    ],
  }),
  property({
    type: distribution,
    property: 'customErrorResponses[].errorCode',
    ...oneOf([400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504]),
    refuses: [401, 429],
    source: `${guide}GeneratingCustomErrorResponses.html`,
  }),
  property({
    type: distribution,
    property: 'origins',
    rule: 'has at most 25',
    allows(value) {
      return (value as unknown[]).length <= 25
    },
    refuses: [many(26, {})],
    source: limits,
  }),
  property({
    type: distribution,
    property: 'origins[].customHeaders',
    rule: 'has at most 10, of which CloudFront reserves none',
    allows(value) {
      const headers = value as { name: string }[]
      return (
        headers.length <= 10 &&
        headers.every(({ name }) => !/^(?:x-amz-|x-edge-|host$|cookie$|via$)/i.test(name))
      )
    },
    refuses: [many(11, { name: 'x-one' }), [{ name: 'X-Edge-Secret' }], [{ name: 'host' }]],
    source: `${guide}add-origin-custom-headers.html`,
  }),
  ...['customOriginConfig', 'vpcOriginConfig'].map((kind) =>
    property({
      type: distribution,
      property: `origins[].${kind}.originReadTimeout`,
      // Up to 120 in newer accounts.
      ...between(1, 60),
      refuses: [0, 61],
      source: limits,
    }),
  ),
  property({
    type: fn,
    property: 'name',
    allows: /^[a-zA-Z0-9-_]{1,64}$/,
    refuses: ['x'.repeat(65), 'console page'],
    generated: true,
    source: `${api}API_CreateFunction.html`,
  }),
  property({
    type: fn,
    property: 'code',
    rule: 'has at most 10 KB, and sets no header that CloudFront reserves',
    allows(value) {
      const code = String(value)
      return code.length <= 10_240 && !/headers\[['"`](?:x-edge-|x-amz-cf-|via|host)/i.test(code)
    },
    refuses: ['x'.repeat(10_241), "event.request.headers['x-edge-viewer'] = {}"],
    source: `${guide}edge-function-restrictions-all.html`,
  }),
  property({
    type: access,
    property: 'name',
    allows: /^[^]{1,64}$/,
    refuses: ['x'.repeat(65)],
    generated: true,
    source: `${api}API_OriginAccessControlConfig.html`,
  }),
  property({
    type: policy,
    property: 'name',
    allows: /^[a-zA-Z0-9-_]{1,128}$/,
    refuses: ['x'.repeat(129), 'the console'],
    generated: true,
    source: `${api}API_ResponseHeadersPolicyConfig.html`,
  }),
  property({
    type: policy,
    property: 'securityHeadersConfig.contentSecurityPolicy.contentSecurityPolicy',
    allows: /^[\u0020-\u007e]{1,1783}$/,
    refuses: ['x'.repeat(1784)],
    source: limits,
  }),
  property({
    type: vpcOrigin,
    property: 'vpcOriginEndpointConfig.name',
    allows: /^[^]{1,64}$/,
    refuses: ['x'.repeat(65)],
    source: `${api}API_VpcOriginEndpointConfig.html`,
  }),
  // CloudFront is global: its names collide across the regions of an account.
  ...[fn, access, policy].map((type) =>
    unique({ type, property: 'name', source: `${api}API_CreateFunction.html` }),
  ),
  quota({ rule: 'distributions', type: distribution, most: 200, others: 50, source: limits }),
  quota({ rule: 'CloudFront functions', type: fn, most: 100, others: 20, source: limits }),
  quota({ rule: 'origin access controls', type: access, most: 100, others: 20, source: limits }),
  quota({ rule: 'response headers policies', type: policy, most: 20, others: 5, source: limits }),
  quota({ rule: 'VPC origins', type: vpcOrigin, most: 25, others: 5, source: limits }),
]
