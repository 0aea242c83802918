import { planSizes } from '#shared/manifest/containers.ts'
import { format } from '#shared/money/amounts/amount.ts'
import { type Plan, planNames, plans } from '#shared/money/plans/plans.ts'
import { assumed } from './assumed.ts'
import { type Parts, sumOf } from './calls.ts'
import { filesOf } from './files.ts'
import type { Units } from './meter/platform.ts'
import { hoursAMonth, lambdaMillion, price, priceFile, tableMillion } from './prices.ts'

/** The units per minute to find a healthy agent and to check it. */
export interface WatchUnits {
  look: Units
  find: Units
}

const secondsAMonth = hoursAMonth * 3600
const daysAMonth = hoursAMonth / 24

/** Returns the US dollars per month to monitor one running agent. */
export function watching({ look, find }: WatchUnits): number {
  const looks = secondsAMonth / assumed.lookEverySeconds
  const ticks = secondsAMonth / 60
  // 256 MB are 0.145 of a vCPU, so the CPU milliseconds take longer.
  const lookSeconds = assumed.lookCpuMs / 1000 / (256 / 1769)
  const compute = (256 / 1024) * lookSeconds * price('lambdaGbSecond')
  return looks * (tableMillion(look) / 1e6 + compute) + (ticks * tableMillion(find)) / 1e6
}

/** Returns the US dollars per month of one agent that is always awake, by part. */
export function alwaysOn({ container }: Plan, watch: WatchUnits): Parts {
  const { cpu, memoryGb } = container
  return {
    Fargate: hoursAMonth * (cpu * price('fargateVcpuHour') + memoryGb * price('fargateGbHour')),
    address: hoursAMonth * price('publicAddressHour'),
    watchdog: watching(watch),
  }
}

/** Returns the US dollars per month of an always awake agent's task on Fargate Spot; undefined if its plan does not use it. */
export function onSpareCapacity({ name, container }: Plan): number | undefined {
  if (planSizes.find(({ plan }) => plan === name)?.spot !== true) return undefined
  const { cpu, memoryGb } = container
  return hoursAMonth * (cpu * price('fargateSpotVcpuHour') + memoryGb * price('fargateSpotGbHour'))
}

/** Returns the share of a day that an occasionally used agent is awake. @param tail idle minutes before it sleeps */
export function awakeShare(tail: number): number {
  const { sittingsADay, sittingMinutes, startMinutes } = assumed
  return (sittingsADay * (sittingMinutes + startMinutes + tail)) / 1440
}

/** Returns the US dollars per month of one agent that sleeps when idle. */
export function mostlyAsleep(plan: Plan, watch: WatchUnits, tail: number): number {
  const { seconds, memoryMb, ...units } = assumed.wake
  const wake = (tableMillion(units) + lambdaMillion(memoryMb, seconds)) / 1e6
  return awakeShare(tail) * sumOf(alwaysOn(plan, watch)) + assumed.sittingsADay * daysAMonth * wake
}

export interface Margin {
  plan: Plan
  /** The price per month, in US dollars. */
  price: number
  /** The cost with all agents of the plan awake all month. */
  full: number
  /** The cost with the plan's maximum of agents awake all month, the rest asleep, and the storage full. */
  sold: number
  /** The cost with all agents used occasionally. */
  usual: number
}

/** Returns the price of each plan and the cost of its agents, without models, payment fees and staff. */
export function margins(watch: WatchUnits, tail: number): Margin[] {
  return planNames.map((name) => {
    const plan = plans[name]
    const one = sumOf(alwaysOn(plan, watch))
    return {
      plan,
      price: Number(format(plan.price)) * priceFile.dollarsPerPound,
      full: plan.agents * one,
      sold: plan.awake * one + filesOf(plan),
      usual: plan.agents * mostlyAsleep(plan, watch, tail),
    }
  })
}

/** Returns the US dollars per month for the public addresses of a number of agents, and for NAT gateways instead. */
export function ways(agents: number, zones: number): { addresses: number; nat: number } {
  const gateways = zones * hoursAMonth * (price('natHour') + price('publicAddressHour'))
  return {
    addresses: agents * hoursAMonth * price('publicAddressHour'),
    nat: gateways + agents * assumed.agentTrafficGb * price('natGb'),
  }
}

/** Returns the minimum number of agents for NAT gateways to cost less: an address costs more than an agent's NAT traffic. */
export function natBreakEven(zones: number): number {
  const one = hoursAMonth * price('publicAddressHour') - assumed.agentTrafficGb * price('natGb')
  return Math.ceil(ways(0, zones).nat / one)
}
