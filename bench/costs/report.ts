import { defaultSleepAfterMinutes } from '#shared/agents/record/config/sleep.ts'
import { functions } from '#shared/manifest/index.ts'
import { addressRanges } from '#shared/manifest/network.ts'
import { planNames, plans } from '#shared/money/plans/plans.ts'
import {
  alwaysOn,
  awakeShare,
  margins,
  mostlyAsleep,
  natBreakEven,
  onSpareCapacity,
  watching,
  type WatchUnits,
  ways,
} from './agents.ts'
import { assumed } from './assumed.ts'
import {
  breakEven,
  chatTurns,
  hourlyModelCalls,
  modelCalls,
  type Parts,
  sessionReads,
  sumOf,
} from './calls.ts'
import { idle } from './idle/section.ts'
import { tickedAgents } from './meter/hot.ts'
import type { Units } from './meter/platform.ts'
import { priceFile } from './prices.ts'
import { money, rows } from './text.ts'
import type { NotedUnits } from './units.ts'

/** The idle minutes before an agent sleeps, in the tables of the document. */
export const tailMinutes = defaultSleepAfterMinutes

const partRows = (parts: Parts) => [
  ...Object.entries(parts).map(([name, usd]) => [name, money(usd)]),
  ['**sum**', `**${money(sumOf(parts))}**`],
]

/** Returns the consumption of monitoring one agent, from the stored units. @throws Error if units.json lacks it */
export function watchUnits({ hot }: NotedUnits): WatchUnits {
  const tick = hotUnits(hot, `tick over ${tickedAgents} agents`)
  return {
    look: hotUnits(hot, 'look at a healthy agent'),
    find: { reads: tick.reads / tickedAgents, writes: tick.writes / tickedAgents },
  }
}

function hotUnits(hot: Record<string, Units>, name: string): Units {
  const units = hot[name]
  if (units === undefined) throw new Error(`units.json has no ${name}: npm run costs`)
  return units
}

/** Returns the whole text of docs/operate/costs.md. */
export function report(noted: NotedUnits): string {
  const { hot } = noted
  const watch = watchUnits(noted)
  return `${[head(), operations(noted), calls(hot), gateway(hot), agents(watch), marginTable(watch), addresses(), idle(noted.ticks), premises()].join('\n\n')}\n`
}

function head(): string {
  return `# What it costs on AWS

Written by \`npm run costs\` from the manifest, the units that operations consume (\`bench/costs/units.json\`) and AWS's prices
(\`bench/costs/prices.json\`: ${priceFile.region}, list prices as of ${priceFile.asOf}, each with its source; no free tier, no savings plan). £1 is taken for
$${priceFile.dollarsPerPound.toFixed(2)}. What models, mails, videos and payments cost is not in it, nor a custom metric
for each route in use, nor storage and backups of table and logs. \`npm run costs -- --check\` meters again: it fails
where an operation consumes more than a tenth more than is noted, and where a plan loses money as it is sold.`
}

function operations({ hot, routes }: NotedUnits): string {
  const dear = Object.entries(routes)
    .toSorted(([, a], [, b]) => b.reads + 5 * b.writes - (a.reads + 5 * a.writes))
    .slice(0, 8)
  const cells = ([name, { reads, writes }]: [string, Units]) => [name, reads, writes]
  return `## Units

Request units of the table and its index, metered by real calls to the platform on one machine, jobs and container events that
follow included. A write costs five reads.

${rows(['operation', 'reads', 'writes'], Object.entries(hot).map(cells))}

All ${Object.keys(routes).length} routes that end by themselves and start no container are in \`bench/costs/units.json\`, with the status that the metered call was answered. The dearest:

${rows(['route', 'reads', 'writes'], dear.map(cells))}`
}

function calls(hot: Record<string, Units>): string {
  const call = hotUnits(hot, 'model call by an agent’s key')
  const turn = hotUnits(hot, 'chat turn')
  const read = hotUnits(hot, 'read by session')
  return `## Per million

**AI gateway calls**, streamed for ${assumed.modelCallSeconds} s, with an agent's key, on Lambda:

${rows(['part', 'a million'], partRows(modelCalls(call)))}

**Chat turns** of ${assumed.turnSeconds} s, each with one model call of its agent:

${rows(['part', 'a million'], partRows(chatTurns(turn)))}

**Session-checked reads** (\`GET /api/agents/:id\`):

${rows(['part', 'a million'], partRows(sessionReads(read)))}`
}

function gateway(hot: Record<string, Units>): string {
  const units = hotUnits(hot, 'model call by an agent’s key')
  const { tasks, vcpu, gb, streamsATask, fullness } = assumed.gateway
  const at = (millions: number) => [
    `${millions} M`,
    money(sumOf(modelCalls(units))),
    money(sumOf(hourlyModelCalls(units, millions))),
  ]
  return `## A gateway by the hour

${tasks} tasks of ${vcpu} vCPU and ${gb} GB behind a load balancer of their own; more where the busiest hour, three times the mean, needs
them: ${streamsATask} streams a task, ${fullness * 100} % full. What a million calls costs, by calls a month:

${rows(['calls a month', 'Lambda', 'by the hour'], [0.1, 0.5, 1, 3, 10, 30].map(at))}

By the hour it pays from **${breakEven(units).toFixed(2)} million calls a month**.`
}

function agents(watch: WatchUnits): string {
  const body = planNames.map((name) => {
    const plan = plans[name]
    const { Fargate = 0, address = 0, watchdog = 0 } = alwaysOn(plan, watch)
    const spare = onSpareCapacity(plan)
    return [
      `${name} ${plan.container.cpu}/${plan.container.memoryGb}`,
      money(Fargate),
      spare === undefined ? '' : money(spare),
      money(address),
      money(watchdog),
      money(1000 * sumOf(alwaysOn(plan, watch))),
      money(1000 * mostlyAsleep(plan, watch, tailMinutes)),
      money(1000 * mostlyAsleep(plan, watch, 10)),
    ]
  })
  return `## Agents

A month of one agent that is always on, and of 1,000 of them; asleep means used in ${assumed.sittingsADay} sittings of ${assumed.sittingMinutes} minutes a day and
asleep ${tailMinutes} minutes after each, awake ${(100 * awakeShare(tailMinutes)).toFixed(1)} % of the time. The smaller plans' containers run on AWS's spare
capacity (Fargate Spot) while there is some; all sums here take the full price.

${rows(['plan vCPU/GB', 'Fargate', 'on spare capacity', 'address', 'watchdog', '1,000 always on', `1,000 asleep after ${tailMinutes} min`, 'after 10 min'], body)}

The watchdog of **10,000 running agents**: ${money(10_000 * watching(watch))} a month, a look at each every ${assumed.lookEverySeconds} s.`
}

function marginTable(watch: WatchUnits): string {
  const body = margins(watch, tailMinutes).map(({ plan, price, full, sold, usual }) => [
    plan.name,
    money(price),
    `${plan.agents} awake: ${money(full)}`,
    money(price - full),
    `${plan.awake} awake: ${money(sold)}`,
    money(price - sold),
    money(price - usual),
  ])
  return `## Margin by plan

A month, by what its agents cost: all of them always on; as many awake the whole month as the plan lets be; all of them used now
and then.

${rows(['plan', 'price', 'all agents awake', 'their margin', 'as many as may be awake at once', 'margin as sold, at worst', 'margin as used'], body)}`
}

function addresses(): string {
  const zones = addressRanges.length
  const body = [20, 50, 100, 1000, 10_000].map((count) => {
    const { addresses: own, nat } = ways(count, zones)
    return [count.toLocaleString('en'), money(own), money(nat)]
  })
  return `## Addresses or NAT

An agent awake has a public address of its own. Behind NAT gateways (\`AGENTS_NAT\`), one in each of ${zones} zones, agents share a few, and pay for traffic
(${assumed.agentTrafficGb} GB a month here). A month:

${rows(['agents awake', 'addresses', 'NAT'], body)}

NAT costs less from **${natBreakEven(zones)} agents awake at a time** on. Each has its own unless the stage says
otherwise: chat channels limit by address, and one agent's doings would close them to others.`
}

function premises(): string {
  const ai = functions.find(({ name }) => name === 'backend-ai')
  return `## Taken for granted

${rows(
  ['what', 'figure'],
  [
    ['memory of the AI function', `${ai?.memoryMb} MB`],
    ['an answer of a model, on its way to the caller', `${assumed.modelAnswerKb} KB`],
    ['a request on its way to the provider', `${assumed.modelRequestKb} KB`],
    [
      'log of a call, a turn, a read',
      `${assumed.modelLogKb}, ${assumed.turnLogKb}, ${assumed.readLogKb} KB`,
    ],
    ['function time of a read', `${assumed.readSeconds * 1000} ms`],
    ['processor time of a look', `${assumed.lookCpuMs} ms`],
    ['polls of an empty queue', `${assumed.pollsAMinute} a minute`],
    [
      'a tick with nothing to do',
      `${assumed.tick.seconds * 1000} ms of its function, ${assumed.tick.logKb} KB of log`,
    ],
    [
      'a sleep and a wake',
      `${assumed.wake.reads} reads, ${assumed.wake.writes} writes, ${assumed.wake.seconds} s of the caller's function`,
    ],
  ],
)}`
}
