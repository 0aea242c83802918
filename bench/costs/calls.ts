import { functions } from '#shared/manifest/index.ts'
import { assumed } from './assumed.ts'
import type { Units } from './meter/platform.ts'
import { gigabytes, hoursAMonth, lambdaMillion, price, tableMillion } from './prices.ts'

/** US dollars by part. */
export type Parts = Record<string, number>

/** Returns the sum of all parts in US dollars. */
export function sumOf(parts: Parts): number {
  return Object.values(parts).reduce((sum, part) => sum + part, 0)
}

function memoryOf(name: string): number {
  const spec = functions.find((one) => one.name === name)
  if (spec === undefined) throw new Error(`the manifest has no function ${name}`)
  return spec.memoryMb
}

/** Returns the US dollars for a million streamed model calls. */
export function modelCalls(units: Units): Parts {
  const compute = lambdaMillion(memoryOf('backend-ai'), assumed.modelCallSeconds)
  return { compute, ...restOfModelCalls(units) }
}

function restOfModelCalls(units: Units): Parts {
  return {
    'API and edge':
      price('restApiMillion') + price('edgeMillion') + gigabytes('edgeGb', assumed.modelAnswerKb),
    table: tableMillion(units),
    logs: gigabytes('logsGb', assumed.modelLogKb),
    egress: gigabytes('egressGb', assumed.modelRequestKb),
  }
}

/** Returns the cost of a million chat turns, each with its agent's model call. The units include both. */
export function chatTurns(units: Units): Parts {
  const { compute = 0, table: _, ...call } = modelCalls({ reads: 0, writes: 0 })
  return {
    'compute of the turn': lambdaMillion(memoryOf('web-chat'), assumed.turnSeconds),
    'compute of its model call': compute,
    table: tableMillion(units),
    'API, edge, logs and egress':
      sumOf(call) +
      price('restApiMillion') +
      price('edgeMillion') +
      gigabytes('edgeGb', assumed.turnAnswerKb) +
      gigabytes('logsGb', assumed.turnLogKb),
  }
}

/** Returns the cost of a million reads with a session. */
export function sessionReads(units: Units): Parts {
  return {
    'API and edge':
      price('httpApiMillion') + price('edgeMillion') + gigabytes('edgeGb', assumed.readAnswerKb),
    table: tableMillion(units),
    logs: gigabytes('logsGb', assumed.readLogKb),
    compute: lambdaMillion(memoryOf('web-agents'), assumed.readSeconds),
  }
}

/** Returns the cost of a million model calls through the hourly gateway, at a number of million calls per month. */
export function hourlyModelCalls(units: Units, millions: number): Parts {
  const { 'API and edge': _, ...rest } = restOfModelCalls(units)
  return {
    compute: gatewayMonth(millions) / millions,
    'load balancer': balancerMonth() / millions,
    edge: price('edgeMillion') + gigabytes('edgeGb', assumed.modelAnswerKb),
    ...rest,
  }
}

/** Returns the US dollars per month of the tasks for a number of calls; at least two tasks. */
function gatewayMonth(millions: number): number {
  const { tasks, vcpu, gb, streamsATask, fullness } = assumed.gateway
  const streams = (millions * 1e6 * assumed.modelCallSeconds) / (hoursAMonth * 3600)
  // Load varies over the day: the busiest hour has about three times the mean.
  const needed = Math.max(tasks, Math.ceil((3 * streams) / (streamsATask * fullness)))
  const hour = vcpu * price('fargateVcpuHour') + gb * price('fargateGbHour')
  return needed * hoursAMonth * (hour + price('publicAddressHour'))
}

function balancerMonth(): number {
  return hoursAMonth * (price('loadBalancerHour') + price('loadBalancerUnitHour'))
}

/** Returns the minimum number of million calls per month for the hourly gateway to cost less than the function. */
export function breakEven(units: Units): number {
  const perCall = sumOf(modelCalls(units))
  for (let millions = 0.05; millions < 100; millions += 0.05)
    if (sumOf(hourlyModelCalls(units, millions)) < perCall) return millions
  throw new Error('the hourly gateway never pays')
}
