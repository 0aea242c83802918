import { between, children, each, oneOf, property, quota, resource, unique } from './rule.ts'
import type { Rule } from './rule.ts'

const http = 'https://docs.aws.amazon.com/apigatewayv2/latest/api-reference/'
const rest = 'https://docs.aws.amazon.com/apigateway/latest/api/'
const httpLimits =
  'https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html'
const restLimits =
  'https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html'
const streaming =
  'https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html'

const route = 'aws:apigatewayv2/route:Route'
const integration = 'aws:apigateway/integration:Integration'
const restResource = 'aws:apigateway/resource:Resource'

export const gatewayRules: Rule[] = [
  property({
    type: 'aws:apigatewayv2/api:Api',
    property: 'name',
    allows: /^[^]{1,128}$/,
    refuses: ['x'.repeat(129)],
    source: `${http}apis.html`,
  }),
  property({
    type: 'aws:apigatewayv2/integration:Integration',
    property: 'timeoutMilliseconds',
    ...between(50, 30_000),
    refuses: [49, 30_001],
    source: httpLimits,
  }),
  property({
    type: route,
    property: 'routeKey',
    allows:
      /^(?:\$default|(?:ANY|DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT) (?:\/|(?:\/[\w\-.~:]+|\/\{[\w]+\+?\})+))$/,
    refuses: ['/health', 'ANY health', 'ANY /a b', 'ANY /{proxy+'],
    source: `${http}apis-apiid-routes.html`,
  }),
  // A second route with the key: ConflictException.
  unique({
    type: route,
    property: 'routeKey',
    within: ['apiId'],
    source: `${http}apis-apiid-routes.html`,
  }),
  children({
    rule: 'routes of an API',
    type: route,
    parent: 'apiId',
    most: 300,
    source: httpLimits,
  }),
  children({
    rule: 'integrations of an API',
    type: 'aws:apigatewayv2/integration:Integration',
    parent: 'apiId',
    most: 300,
    source: httpLimits,
  }),
  property({
    type: 'aws:apigateway/restApi:RestApi',
    property: 'description',
    allows: /^[^]{0,1024}$/,
    refuses: ['x'.repeat(1025)],
    source: `${rest}API_CreateRestApi.html`,
  }),
  property({
    type: 'aws:apigateway/stage:Stage',
    property: 'stageName',
    allows: /^[\w-]{1,128}$/,
    refuses: ['$default', 'a b'],
    source: `${rest}API_CreateStage.html`,
  }),
  property({
    type: restResource,
    property: 'pathPart',
    allows: /^(?:[\w.:-]+|\{[\w]+\+?\})$/,
    refuses: ['api/chat', '{proxy+', 'a b'],
    source: `${rest}API_CreateResource.html`,
  }),
  unique({
    type: restResource,
    property: 'pathPart',
    within: ['restApi', 'parentId'],
    source: `${rest}API_CreateResource.html`,
  }),
  children({
    rule: 'resources of a REST API',
    type: restResource,
    parent: 'restApi',
    most: 300,
    source: restLimits,
  }),
  each(integration, {
    rule: 'an integration answers within 29 s, or streams for at most 15 min',
    source: streaming,
    breach({ inputs: { responseTransferMode, timeoutMilliseconds = 29_000, type, uri } }) {
      const streams = responseTransferMode === 'STREAM'
      if (streams && type !== 'AWS_PROXY' && type !== 'HTTP_PROXY') return 'streams without a proxy'
      if (streams && !String(uri).endsWith('/response-streaming-invocations'))
        return `streams from ${String(uri)}`
      const most = streams ? 900_000 : 29_000
      return Number(timeoutMilliseconds) > most
        ? `waits ${String(timeoutMilliseconds)} ms`
        : undefined
    },
    refuses: [
      [resource(integration, { type: 'AWS_PROXY', timeoutMilliseconds: 30_000 })],
      [
        resource(integration, {
          type: 'AWS_PROXY',
          uri: 'arn/response-streaming-invocations',
          responseTransferMode: 'STREAM',
          timeoutMilliseconds: 900_001,
        }),
      ],
      [resource(integration, { type: 'AWS', responseTransferMode: 'STREAM' })],
      [
        resource(integration, {
          type: 'AWS_PROXY',
          uri: 'arn/invocations',
          responseTransferMode: 'STREAM',
        }),
      ],
    ],
  }),
  property({
    type: 'aws:apigateway/response:Response',
    property: 'responseType',
    ...oneOf(['DEFAULT_4XX', 'DEFAULT_5XX', 'REQUEST_TOO_LARGE', 'THROTTLED']),
    refuses: ['TOO_LARGE'],
    source: `${rest}API_PutGatewayResponse.html`,
  }),
  // Both kinds count together; half of the quota is left to each.
  quota({
    rule: 'HTTP APIs in a region',
    type: 'aws:apigatewayv2/api:Api',
    most: 300,
    others: 30,
    source: httpLimits,
  }),
  quota({
    rule: 'regional REST APIs in a region',
    type: 'aws:apigateway/restApi:RestApi',
    most: 300,
    others: 30,
    source: restLimits,
  }),
]
