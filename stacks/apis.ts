import type { FunctionSpec, Surface } from '../shared/manifest/index.ts'
import { named, pascal } from './names.ts'
import { lambdas } from './placement.ts'

/** Requests a second and in a burst that an API lets through before it answers 429 by itself. */
export const throttling = { throttlingRateLimit: 1000, throttlingBurstLimit: 2000 }

/** Access logs: who asked what and how it went, without a query, which may hold a token. */
const accessLog = {
  requestId: '$context.requestId',
  time: '$context.requestTime',
  address: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  path: '$context.path',
  status: '$context.status',
  latencyMs: '$context.responseLatency',
  bytes: '$context.responseLength',
  error: '$context.error.message',
}

export const accessLogFormat = JSON.stringify(accessLog)

/** Of REST APIs, with the route instead of the path: what a broker's request asks another host for is not kept. */
export const streamAccessLogFormat = JSON.stringify({
  ...accessLog,
  path: '$context.resourcePath',
})

/** A surface's HTTP API: payload 2.0, buffered answers, 30 s at most. Its routes are in routes.ts. */
export const apis: Record<Surface, sst.aws.ApiGatewayV2> = {
  web: httpApi('web'),
  backend: httpApi('backend'),
  summarizer: httpApi('summarizer'),
}

/** The Lambdas behind a surface: those that stream, or those that do not. */
export function groupsOf(surface: Surface, streaming: boolean): HttpFunction[] {
  return lambdas.filter(
    (spec): spec is HttpFunction =>
      spec.trigger.kind === 'http' &&
      spec.trigger.surface === surface &&
      (spec.trigger.streaming ?? false) === streaming,
  )
}

export type HttpFunction = FunctionSpec & {
  trigger: Extract<FunctionSpec['trigger'], { kind: 'http' }>
}

function httpApi(surface: Surface): sst.aws.ApiGatewayV2 {
  return new sst.aws.ApiGatewayV2(`${pascal(surface)}Api`, {
    // The apps answer cross-origin questions themselves, and mostly with no.
    cors: false,
    accessLog: { retention: '1 month' },
    transform: {
      api: { name: named(surface) },
      logGroup: { name: `/aws/vendedlogs/${named(surface)}` },
      stage: (stage) => {
        stage.accessLogSettings = $util.output(stage.accessLogSettings).apply((settings) => ({
          destinationArn: settings?.destinationArn ?? '',
          format: accessLogFormat,
        }))
        // No metrics by route, each of which costs: the functions' own metrics have them.
        stage.defaultRouteSettings = throttling
      },
    },
  })
}
