import { planSizes } from '../../shared/manifest/containers.ts'
import { type Plan, planNames, plans } from '../../shared/plans/plans.ts'
import { format } from '../../shared/money/amount.ts'
import { assumed } from './assumed.ts'
import { type Parts, sumOf } from './calls.ts'
import type { Units } from './meter/platform.ts'
import { hoursAMonth, lambdaMillion, price, priceFile, tableMillion } from './prices.ts'

/** The units of one look at an agent that is well, and what finding it takes each minute. */
export interface WatchUnits {
  look: Units
  find: Units
}

const secondsAMonth = hoursAMonth * 3600
const daysAMonth = hoursAMonth / 24

/** US dollars a month to watch over one running agent. */
export function watching({ look, find }: WatchUnits): number {
  const looks = secondsAMonth / assumed.lookEverySeconds
  const ticks = secondsAMonth / 60
  // 256 MB are 0.145 of a vCPU, so that its milliseconds of CPU take longer.
  const lookSeconds = assumed.lookCpuMs / 1000 / (256 / 1769)
  const compute = (256 / 1024) * lookSeconds * price('lambdaGbSecond')
  return looks * (tableMillion(look) / 1e6 + compute) + (ticks * tableMillion(find)) / 1e6
}

/** US dollars a month for one agent that is always awake, by what it is for. */
export function alwaysOn({ container }: Plan, watch: WatchUnits): Parts {
  const { cpu, memoryGb } = container
  return {
    Fargate: hoursAMonth * (cpu * price('fargateVcpuHour') + memoryGb * price('fargateGbHour')),
    address: hoursAMonth * price('publicAddressHour'),
    watchdog: watching(watch),
  }
}

/** US dollars a month for the task of an agent that is always awake on spare capacity; undefined where its plan asks for none. */
export function onSpareCapacity({ name, container }: Plan): number | undefined {
  if (planSizes.find(({ plan }) => plan === name)?.spot !== true) return undefined
  const { cpu, memoryGb } = container
  return hoursAMonth * (cpu * price('fargateSpotVcpuHour') + memoryGb * price('fargateSpotGbHour'))
}

/** The share of a day that an agent is awake which a person sits down with now and then. @param tail minutes before it sleeps */
export function awakeShare(tail: number): number {
  const { sittingsADay, sittingMinutes, startMinutes } = assumed
  return (sittingsADay * (sittingMinutes + startMinutes + tail)) / 1440
}

/** US dollars a month for one agent that sleeps when it has nothing to do. */
export function mostlyAsleep(plan: Plan, watch: WatchUnits, tail: number): number {
  const { seconds, memoryMb, ...units } = assumed.wake
  const wake = (tableMillion(units) + lambdaMillion(memoryMb, seconds)) / 1e6
  return awakeShare(tail) * sumOf(alwaysOn(plan, watch)) + assumed.sittingsADay * daysAMonth * wake
}

export interface Margin {
  plan: Plan
  /** A month's, in US dollars. */
  price: number
  /** All agents of the plan awake the whole month. */
  full: number
  /** As many as the plan lets be awake at once, the whole month; the rest asleep. */
  sold: number
  /** All agents of the plan, used now and then. */
  usual: number
}

/** What a plan brings and what its agents cost; models, payment fees and people are not in it. */
export function margins(watch: WatchUnits, tail: number): Margin[] {
  return planNames.map((name) => {
    const plan = plans[name]
    const one = sumOf(alwaysOn(plan, watch))
    return {
      plan,
      price: Number(format(plan.price)) * priceFile.dollarsPerPound,
      full: plan.agents * one,
      sold: plan.awake * one,
      usual: plan.agents * mostlyAsleep(plan, watch, tail),
    }
  })
}

/** US dollars a month for the addresses of so many agents, and for a NAT gateway in each zone instead. */
export function ways(agents: number, zones: number): { addresses: number; nat: number } {
  const gateways = zones * hoursAMonth * (price('natHour') + price('publicAddressHour'))
  return {
    addresses: agents * hoursAMonth * price('publicAddressHour'),
    nat: gateways + agents * assumed.agentTrafficGb * price('natGb'),
  }
}

/** From how many agents on NAT gateways cost less; each agent's address saves more than its traffic costs there. */
export function natBreakEven(zones: number): number {
  const one = hoursAMonth * price('publicAddressHour') - assumed.agentTrafficGb * price('natGb')
  return Math.ceil(ways(0, zones).nat / one)
}
