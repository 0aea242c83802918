import { describe, expect, test } from 'vitest'
import { functions, type Surface, surfaces } from '#shared/manifest/index.ts'
import { behavioursOf } from '../../ops/preflight/edges.ts'
import { declared, secretValue } from './harness/declare.ts'
import type { Inputs } from './harness/mocks.ts'
import { componentOf } from './harness/policies.ts'

const stack = declared()

const streamingSurfaces = ['web', 'backend'] as const

const groupsOf = (surface: Surface, streaming: boolean) =>
  functions.flatMap(({ name, timeoutSeconds, trigger }) =>
    trigger.kind === 'http' &&
    trigger.surface === surface &&
    (trigger.streaming ?? false) === streaming
      ? [{ name, timeoutSeconds, prefixes: trigger.prefixes }]
      : [],
  )

const arnOf = (name: string) =>
  `arn:aws:lambda:eu-west-1:123456789012:function:agent-platform-production-${name}:live`

const of = (type: string, key: string, value: string) =>
  [...stack.all(type)].filter(([, inputs]) => inputs[key] === value)

describe.each(surfaces)('the HTTP API of %s', (surface) => {
  const id = `${componentOf(surface)}ApiApi-id`

  test('has two routes a prefix, the root and $default one, and no other', () => {
    const expected = groupsOf(surface, false).flatMap(({ prefixes }) =>
      prefixes.flatMap((prefix) => {
        if (prefix === '$default') return [prefix]
        return prefix === '/' ? ['ANY /'] : [`ANY ${prefix}`, `ANY ${prefix}/{proxy+}`]
      }),
    )
    const routes = of('aws:apigatewayv2/route:Route', 'apiId', id)
    expect(routes.map(([, { routeKey }]) => routeKey).toSorted()).toEqual(expected.toSorted())
    expect(expected).toContain('$default')
  })

  test('routes each route to its group, with payload 2.0', () => {
    for (const { name, prefixes } of groupsOf(surface, false)) {
      const integration = `${componentOf(name)}Integration`
      expect(stack.one('aws:apigatewayv2/integration:Integration', integration)).toMatchObject({
        apiId: id,
        integrationType: 'AWS_PROXY',
        integrationUri: arnOf(name),
        payloadFormatVersion: '2.0',
        timeoutMilliseconds: 30_000,
      })
      const routed = of('aws:apigatewayv2/route:Route', 'apiId', id)
        .filter(([, { target }]) => target === `integrations/${integration}-id`)
        .map(([, { routeKey }]) => String(routeKey).replace('ANY ', '').replace('/{proxy+}', ''))
      expect(new Set(routed)).toEqual(new Set(prefixes))
    }
  })

  test('limits each group’s timeout to 30 s', () => {
    for (const { timeoutSeconds } of groupsOf(surface, false))
      expect(timeoutSeconds).toBeLessThan(30)
  })

  test('logs callers, throttles, and allows no other origin', () => {
    const stages = of('aws:apigatewayv2/stage:Stage', 'apiId', id)
    expect(stages).toHaveLength(1)
    expect(stages[0]?.[1]).toMatchObject({
      name: '$default',
      autoDeploy: true,
      defaultRouteSettings: { throttlingRateLimit: 1000, throttlingBurstLimit: 2000 },
      accessLogSettings: {
        destinationArn: `arn:aws:logs:eu-west-1:123456789012:log-group:/aws/vendedlogs/agent-platform-production-${surface}`,
      },
    })
    const { corsConfiguration } = stack.one(
      'aws:apigatewayv2/api:Api',
      `${componentOf(surface)}ApiApi`,
    )
    expect(corsConfiguration ?? {}).toEqual({})
  })
})

describe.each(streamingSurfaces)('the streams of %s', (surface) => {
  const api = `${componentOf(surface)}Streams`
  /** The console's resources are left to console.test.ts. */
  const edge = () => {
    const whole = stack.one(
      'aws:cloudfront/distribution:Distribution',
      `${componentOf(surface)}Edge`,
    )
    const origins = whole.origins as Inputs[]
    const behaviours = whole.orderedCacheBehaviors as Inputs[]
    return {
      defaultCacheBehavior: whole.defaultCacheBehavior,
      customErrorResponses: whole.customErrorResponses,
      origins: origins.filter(({ originId }) => originId !== 'console'),
      orderedCacheBehaviors: behaviours.filter(
        ({ targetOriginId }) => targetOriginId !== 'console',
      ),
    }
  }

  test('have as many cache behaviours as the preflight compares with CloudFront’s quota', () => {
    const { orderedCacheBehaviors } = stack.one(
      'aws:cloudfront/distribution:Distribution',
      `${componentOf(surface)}Edge`,
    )
    expect((orderedCacheBehaviors as Inputs[]).length + 1).toBe(behavioursOf(surface, false))
  })

  test('are a regional REST API with streamed responses', () => {
    expect(stack.one('aws:apigateway/restApi:RestApi', api)).toMatchObject({
      endpointConfiguration: { types: 'REGIONAL' },
    })
    const expected = groupsOf(surface, true).flatMap(({ name, prefixes, timeoutSeconds }) =>
      prefixes.flatMap((prefix) =>
        [prefix, `${prefix}/{proxy+}`].map((path) => ({
          path,
          httpMethod: 'ANY',
          type: 'AWS_PROXY',
          responseTransferMode: 'STREAM',
          uri: `${arnOf(name)}/response-streaming-invocations`,
          timeoutMilliseconds: timeoutSeconds * 1000,
        })),
      ),
    )
    const integrations = of('aws:apigateway/integration:Integration', 'restApi', `${api}-id`)
    const actual = integrations.map(([, integration]) => ({
      path: pathOf(String(integration.resourceId)),
      httpMethod: integration.httpMethod,
      type: integration.type,
      responseTransferMode: integration.responseTransferMode,
      uri: integration.uri,
      timeoutMilliseconds: integration.timeoutMilliseconds,
    }))
    expect(new Set(actual)).toEqual(new Set(expected))
  })

  test('are published, logged and throttled', () => {
    expect(stack.one('aws:apigateway/stage:Stage', `${api}Stage`)).toMatchObject({
      stageName: 'live',
      deployment: `${api}Deployment-id`,
      accessLogSettings: {
        destinationArn: `arn:aws:logs:eu-west-1:123456789012:log-group:/aws/vendedlogs/agent-platform-production-${surface}-streams`,
        // A path of the broker is confidential between an agent and another host.
        format: expect.not.stringContaining('$context.path'),
      },
    })
    expect(
      stack.one('aws:apigateway/methodSettings:MethodSettings', `${api}Settings`),
    ).toMatchObject({
      methodPath: '*/*',
      settings: { throttlingRateLimit: 1000, throttlingBurstLimit: 2000 },
    })
  })

  test('are behind the one address of the surface', () => {
    const { defaultCacheBehavior, orderedCacheBehaviors, origins } = edge()
    expect(defaultCacheBehavior).toMatchObject({ targetOriginId: 'buffered' })
    const streamed = orderedCacheBehaviors.map((behaviour) => {
      expect(behaviour.targetOriginId).toBe('streamed')
      return behaviour.pathPattern
    })
    expect(streamed).toEqual(
      groupsOf(surface, true).flatMap(({ prefixes }) =>
        prefixes.flatMap((prefix) => [prefix, `${prefix}/*`]),
      ),
    )
    expect(origins).toMatchObject([
      {
        originId: 'buffered',
        domainName: `${surface}apiapi.execute-api.eu-west-1.amazonaws.com`,
      },
      {
        originId: 'streamed',
        domainName: `${api}-id.execute-api.eu-west-1.amazonaws.com`,
        originPath: '/live',
      },
    ])
  })

  test('all paths are forwarded whole, encrypted and uncached', () => {
    const { customErrorResponses, defaultCacheBehavior, orderedCacheBehaviors, origins } = edge()
    for (const behaviour of [defaultCacheBehavior as Inputs, ...orderedCacheBehaviors])
      expect(behaviour).toMatchObject({
        viewerProtocolPolicy: 'https-only',
        allowedMethods: expect.arrayContaining(['POST', 'PATCH', 'DELETE']),
        cachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
        originRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
        compress: false,
      })
    for (const origin of origins)
      expect(origin).toMatchObject({
        customHeaders: [{ name: 'x-origin-secret', value: secretValue('ORIGIN_SECRET') }],
        customOriginConfig: { originProtocolPolicy: 'https-only' },
      })
    const remembered = (customErrorResponses as Inputs[]).filter(
      ({ errorCachingMinTtl }) => errorCachingMinTtl !== 0,
    )
    expect(remembered).toEqual([])
    expect((customErrorResponses as Inputs[]).map(({ errorCode }) => errorCode)).toEqual(
      expect.arrayContaining([403, 404, 405, 500, 502, 503, 504]),
    )
  })

  test('the edge’s secret is encrypted in the state', () => {
    const stored = stack.registrations.find(({ name }) => name === `${componentOf(surface)}Edge`)
    expect(stored?.secrets).toContain('origins')
  })
})

test('each function allows the one API that calls it, and no other caller', () => {
  const permissions = [...stack.all('aws:lambda/permission:Permission').values()]
  const expected = surfaces.flatMap((surface) =>
    [true, false].flatMap((streaming) =>
      groupsOf(surface, streaming).map(({ name }) => ({
        action: 'lambda:InvokeFunction',
        function: `agent-platform-production-${name}`,
        qualifier: 'live',
        principal: 'apigateway.amazonaws.com',
        sourceArn: `arn:aws:execute-api:eu-west-1:123456789012:${componentOf(surface)}${streaming ? 'Streams' : 'ApiApi'}/*`,
      })),
    ),
  )
  expect(permissions).toHaveLength(expected.length)
  expect(new Set(permissions)).toEqual(new Set(expected))
})

test('no function has an address of its own', () => {
  expect(() => stack.all('aws:lambda/functionUrl:FunctionUrl')).toThrow('nothing of type')
})

/** Returns the path of a REST API's resource by walking up to its root. */
function pathOf(resourceId: string): string {
  if (resourceId.endsWith('-root')) return ''
  const { parentId, pathPart } = stack.one(
    'aws:apigateway/resource:Resource',
    resourceId.replace(/-id$/, ''),
  )
  return `${pathOf(String(parentId))}/${String(pathPart)}`
}
