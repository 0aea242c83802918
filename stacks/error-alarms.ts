import type { FunctionSpec, Surface } from '#shared/manifest/index.ts'
import { alarm, maxMetrics, rateAlarm, type Summed } from './alarm.ts'
import { apis, groupsOf } from './apis.ts'
import { functionOf } from './functions.ts'
import { lambdas } from './placement.ts'
import { streams } from './streams.ts'

/** The alarms on errors of each function, by its name. A release of the function watches them. */
const alarmsByFunction = new Map<string, string[]>()

/** Functions whose single error needs a person: they hold keys, take payments or find failed agents. */
const critical = new Set(['signer', 'watchdog', 'web-billing'])

for (const { name } of lambdas)
  if (critical.has(name)) {
    alarm(`${name}-errors`, {
      ...metricOf('Errors', name),
      description: `${name} ended with an error`,
      statistic: 'Sum',
      threshold: 1,
    })
    note(name, `${name}-errors`)
  }

for (const [surface, api] of Object.entries(apis) as [Surface, sst.aws.ApiGatewayV2][]) {
  const served = groupsOf(surface, false)
  // API Gateway counts every 500. The summarizer answers 500 for pages that cannot be read (spec.md), and anyone can
  // request such a page, so its own metric is used, which leaves those out.
  if (surface === 'summarizer') ownFailures(surface, served)
  else serverErrors(surface, served, { ApiId: api.nodes.api.id }, '5xx')
}

for (const [surface, api] of Object.entries(streams) as [Surface, aws.apigateway.RestApi][]) {
  const served = groupsOf(surface, true)
  serverErrors(`${surface}-streams`, served, { ApiName: api.name }, '5XXError')
  // A response that has begun has its status, so the API does not count a stream that its function could not finish.
  invocationErrors(`${surface}-streams`, served)
}

invocationErrors('queues', ofKind('queue'))
invocationErrors('schedules', ofKind('schedule'))

/** Declares an alarm on an API's share of server errors. It includes the errors of crashed functions. */
function serverErrors(
  name: string,
  served: readonly FunctionSpec[],
  dimensions: Summed['dimensions'],
  metric: '5xx' | '5XXError',
): void {
  const ofApi = (one: string): Summed => ({ namespace: 'AWS/ApiGateway', metric: one, dimensions })
  rateAlarm(`${name}-5xx`, {
    description: `${name} answers with server errors`,
    errors: [ofApi(metric)],
    calls: [ofApi('Count')],
    atLeast: 5,
  })
  for (const spec of served) note(spec.name, `${name}-5xx`)
}

function ownFailures(surface: Surface, served: readonly FunctionSpec[]): void {
  const failures = (statistic: 'Sum' | 'SampleCount') =>
    served.map(({ name }): Summed => ({
      namespace: `AgentPlatform/${$app.stage}`,
      metric: 'RequestFailures',
      dimensions: { function: name },
      statistic,
    }))
  rateAlarm(`${surface}-5xx`, {
    description: `${surface} answers with its own server errors`,
    errors: failures('Sum'),
    calls: failures('SampleCount'),
    atLeast: 5,
  })
  for (const spec of served) note(spec.name, `${surface}-5xx`)
}

/** Alarms on the share of invocations that end with an error. Each reads two metrics of a function. */
function invocationErrors(kind: string, specs: readonly FunctionSpec[]): void {
  const others = specs.filter(({ name }) => !critical.has(name))
  const size = maxMetrics / 2
  for (let from = 0; from < others.length; from += size) {
    const names = others.slice(from, from + size).map(({ name }) => name)
    const name = others.length > size ? `${kind}-errors-${from / size + 1}` : `${kind}-errors`
    rateAlarm(name, {
      description: `${names.join(', ')}: invocations end with errors`,
      errors: names.map((each) => metricOf('Errors', each)),
      calls: names.map((each) => metricOf('Invocations', each)),
      atLeast: 1,
    })
    for (const each of names) note(each, name)
  }
}

function metricOf(metric: 'Errors' | 'Invocations', name: string): Summed {
  return { namespace: 'AWS/Lambda', metric, dimensions: { FunctionName: functionOf(name).name } }
}

function ofKind(kind: 'queue' | 'schedule'): FunctionSpec[] {
  return lambdas.filter(({ trigger }) => trigger.kind === kind)
}

function note(name: string, alarmName: string): void {
  alarmsByFunction.set(name, [...(alarmsByFunction.get(name) ?? []), alarmName])
}

/** Returns the names of the alarms that errors of a function trigger. */
export function errorAlarmsOf(name: string): readonly string[] {
  return alarmsByFunction.get(name) ?? []
}
