import { queues } from '#shared/manifest/index.ts'
import { assumed } from '../assumed.ts'
import type { TickUnits } from '../meter/ticks.ts'
import { gigabytes, hoursAMonth, lambdaMillion, price, tableMillion } from '../prices.ts'
import { schedules } from '../schedules.ts'
import type { Resources } from './resources.ts'

/** A position on the bill of an idle stage: the quantity, and the US dollars per month for all of it. */
export interface Part {
  of: number
  usd: number
}

const minutesAMonth = hoursAMonth * 60

/** Returns the monthly bill of an idle stage by part: no requests of users, and no agent awake. */
export function idleMonth(
  resources: Resources,
  ticks: Record<string, TickUnits>,
): Record<string, Part> {
  const { alarms, keys, dnsZones, endpoints, natGateways } = resources
  const { balancers, containers, vcpu, gb, services, addresses } = resources
  const hourly = (of: number, usd: number) => ({ of, usd: of * hoursAMonth * usd })
  const monthly = (of: number, usd: number) => ({ of, usd: of * usd })
  const metrics = services + Object.values(ticks).reduce((sum, tick) => sum + tick.metrics, 0)
  return {
    'interface endpoints of SQS, one per zone': hourly(endpoints, price('endpointHour')),
    'metrics that alarms read': monthly(alarms, price('alarmMonth')),
    'polls of empty queues by Lambda': polls(),
    'schedules without work': emptyTicks(ticks),
    'the key of wallets': monthly(keys, price('keyMonth')),
    'the network’s DNS zone': monthly(dnsZones, price('dnsZoneMonth')),
    'custom metrics of idle functions': monthly(metrics, price('metricMonth')),
    'NAT gateways': hourly(natGateways, price('natHour')),
    'containers of router and service': {
      of: containers,
      usd: hoursAMonth * (vcpu * price('fargateVcpuHour') + gb * price('fargateGbHour')),
    },
    'public addresses': hourly(addresses, price('publicAddressHour')),
    'load balancers': hourly(balancers, price('loadBalancerHour')),
  }
}

function polls(): Part {
  const polls = queues.length * assumed.pollsAMinute * minutesAMonth
  return { of: queues.length, usd: (polls * price('queueMillion')) / 1e6 }
}

function emptyTicks(ticks: Record<string, TickUnits>): Part {
  const { seconds, logKb } = assumed.tick
  const usd = schedules.reduce((sum, { name, everyMinutes, memoryMb }) => {
    const units = ticks[name]
    if (units === undefined) throw new Error(`units.json has no tick of ${name}: npm run costs`)
    const million =
      tableMillion(units) +
      lambdaMillion(memoryMb, seconds) +
      gigabytes('logsGb', logKb) +
      price('scheduleMillion')
    return sum + ((minutesAMonth / everyMinutes) * million) / 1e6
  }, 0)
  return { of: schedules.length, usd }
}
