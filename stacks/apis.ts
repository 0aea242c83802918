import type { FunctionSpec, Surface } from '#shared/manifest/index.ts'
import { named, pascal } from './names.ts'
import { lambdas } from './placement.ts'

/** The requests per second, and the burst, that an API accepts before it answers 429 itself. */
export const throttling = { throttlingRateLimit: 1000, throttlingBurstLimit: 2000 }

/** The access log format. It leaves out the query, which may contain a token. */
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

/** The format of REST APIs. It has the route and not the path, which for the broker contains the request to another host. */
export const streamAccessLogFormat = JSON.stringify({
  ...accessLog,
  path: '$context.resourcePath',
})

/** The HTTP API of each surface: payload 2.0, buffered responses, at most 30 s. Its routes are in routes.ts. */
export const apis: Record<Surface, sst.aws.ApiGatewayV2> = {
  web: httpApi('web'),
  backend: httpApi('backend'),
  summarizer: httpApi('summarizer'),
}

/** Returns the Lambda functions behind a surface: those that stream, or those that do not. */
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
    // The apps answer CORS preflight requests themselves, and refuse most.
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
        // No metrics by route, because each costs money and the functions' own metrics have the data.
        stage.defaultRouteSettings = throttling
      },
    },
  })
}
